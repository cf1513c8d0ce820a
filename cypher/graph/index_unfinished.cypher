// Returns the index $name if it was made for a constraint whose creation was interrupted.
SHOW INDEXES YIELD name, state, owningConstraint
WHERE name = $name AND state = 'POPULATING' AND owningConstraint IS NULL
