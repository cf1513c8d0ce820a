// Drops the index $name.
DROP INDEX $name IF EXISTS
