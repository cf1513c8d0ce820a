// Locks the thresholds with one of $names until the transaction ends.
MATCH (t:SYS_Threshold)
WHERE t.name IN $names
SET t.locked_by_nomograph = true
REMOVE t.locked_by_nomograph
