// Reads next to nothing, for the bookmark that comes with it: which state of the database was read. No parameters.
RETURN 1 AS alive
