// Drops an index that no constraint owns. $name.
DROP INDEX $name IF EXISTS
