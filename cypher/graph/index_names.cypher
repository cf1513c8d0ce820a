// The names of all indexes; a constraint has one of its own name. No parameters.
SHOW INDEXES YIELD name
