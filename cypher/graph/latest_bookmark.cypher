// Reads almost nothing. The bookmark of the transaction tells whether the database changed. No parameters.
RETURN 1 AS alive
