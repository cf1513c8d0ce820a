// Returns the owner of the threshold $id (element id), and the policies and rows that are linked to it or mention its name $name, with whether they are linked.
MATCH (h) WHERE elementId(h) = $id
CALL (h) {
  MATCH (n:SYS_Policy|SYS_DecisionRow|SYS_DecisionTable)
  WITH h, n, EXISTS { (n)-[:USES_THRESHOLD]->(h) } AS linked
  WHERE linked OR any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS $name)
  RETURN collect({label: CASE WHEN n:SYS_Policy THEN 'policy' WHEN n:SYS_DecisionTable THEN 'table' ELSE 'row' END,
                  id: elementId(n), linked: linked, properties: properties(n)}) AS readers
}
RETURN [(p:SYS_Pack)-[:OWNS]->(h) | p.name] AS packs, readers
