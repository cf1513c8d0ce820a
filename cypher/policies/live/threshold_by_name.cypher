// The thresholds called one of $names.
MATCH (t:SYS_Threshold)
WHERE t.name IN $names
RETURN elementId(t) AS id, properties(t) AS properties, [] AS links
LIMIT 20
