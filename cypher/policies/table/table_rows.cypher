// Returns the decision tables called $table, complete or up to the first underscore: rows, version content, and the thresholds that are linked, have one of $names, or are named by a row. Also returns the clock.
// Asks the leader, because the answer must not be outdated.
MATCH (t:SYS_DecisionTable)
WITH t, coalesce(t.table_id, t.name) AS table_id
WHERE table_id = $table OR split(toStringOrNull(table_id), '_')[0] = $table
WITH t, table_id, [(t)-[:HAS_ROW]->(r) | {id: elementId(r), properties: properties(r)}] AS rows
// Names after threshold(" in a condition and "threshold":" in outputs. $names contains names in other spellings.
CALL (rows) {
  UNWIND rows AS row
  UNWIND [[row.properties.conditions, 'threshold("', '"'], [row.properties.conditions, "threshold('", "'"],
          [row.properties.outputs, '"threshold":"', '"']] AS spelling
  UNWIND split(toStringOrNull(spelling[0]), spelling[1])[1..] AS rest
  RETURN collect(DISTINCT split(rest, spelling[2])[0]) AS named
}
WITH t, table_id, rows, named + $names AS names
CALL (t, names) {
  CALL (t, names) {
    MATCH (t)-[:USES_THRESHOLD]->(h:SYS_Threshold) RETURN h
    UNION
    UNWIND names AS name MATCH (h:SYS_Threshold {name: name}) RETURN h
    UNION
    UNWIND names AS name MATCH (h:SYS_Threshold) WHERE h.name STARTS WITH name + '_' AND coalesce(h.domain_scope, h.scope) IS NOT NULL RETURN h
  }
  RETURN collect({id: elementId(h), properties: properties(h)}) AS thresholds
}
RETURN elementId(t) AS id, toStringOrNull(table_id) AS table_id, properties(t) AS properties, rows, names, thresholds,
       [(t)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO]->(x) | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.name, '') END] AS links,
       datetime() AS now
ORDER BY table_id, id
LIMIT 10
