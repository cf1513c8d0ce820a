// Reads almost nothing. The bookmark of the transaction reports whether the database changed. No parameters.
RETURN 1 AS alive
