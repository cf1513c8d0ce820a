// Returns the nodes with a history that the pack $pack owns or has changed, and the time when the revision whose hash begins with $revision was recorded (null for none and for several). Changes of earlier versions have no c.pack.
WITH COLLECT { MATCH (r:SYS_Revision) WHERE r.hash STARTS WITH $revision RETURN r.first_at LIMIT 2 } AS times
CALL () {
  MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->()
  RETURN CASE o.section WHEN 'policies' THEN 'policy' WHEN 'thresholds' THEN 'threshold' WHEN 'decision_tables' THEN 'table' WHEN 'atlases' THEN 'atlas' WHEN 'contexts' THEN 'context' END AS kind, o.key AS name
  UNION
  MATCH (c:SYS_Change) WHERE c.pack = $pack OR c.why STARTS WITH 'pack ' + $pack + ' '
  RETURN CASE c.label WHEN 'SYS_Policy' THEN 'policy' WHEN 'SYS_Threshold' THEN 'threshold' WHEN 'SYS_DecisionTable' THEN 'table' WHEN 'Atlas' THEN 'atlas' WHEN 'Context' THEN 'context' END AS kind, c.name AS name
}
WITH kind, name, times WHERE kind IS NOT NULL
RETURN kind, name, CASE size(times) WHEN 1 THEN times[0] END AS recorded
ORDER BY kind, name
