// The thresholds called one of $names, of each name at most 20.
UNWIND $names AS name
CALL (name) {
  MATCH (t:SYS_Threshold {name: name})
  RETURN t LIMIT 20
}
RETURN elementId(t) AS id, properties(t) AS properties, [] AS links
