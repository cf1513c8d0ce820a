// Returns the names of all indexes. Constraints have an index with the same name. No parameters.
SHOW INDEXES YIELD name
