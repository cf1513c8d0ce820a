// Terminates the transaction $id.
TERMINATE TRANSACTIONS $id
