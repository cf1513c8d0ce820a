// Has the name of an operation.
RETURN 1 AS one
