// Ends the transaction $id.
TERMINATE TRANSACTIONS $id
