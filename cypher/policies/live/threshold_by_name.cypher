// Returns the thresholds with one of $names, at most 20 per name.
UNWIND $names AS name
CALL (name) {
  MATCH (t:SYS_Threshold {name: name})
  RETURN t LIMIT 20
}
RETURN elementId(t) AS id, properties(t) AS properties, [] AS links
