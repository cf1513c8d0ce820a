// Links the decision $source to $target with $type, $weight and $context (null: unchanged), made by $by, and stores the event $uid. If the link closes a cycle, it returns the links of the cycle ($cycle) that the caller may see, and refuses SUPERSEDES. $ends: both uids in order.
CALL () {
  // Two links between four decisions can close a cycle together, so locking the ends is not enough.
  UNWIND CASE WHEN $type = 'SUPERSEDES' THEN ['supersedes'] ELSE [] END AS name
  MERGE (lock:SYS_Lock {name: name})
  SET lock.held = true
  REMOVE lock.held
  RETURN count(*) AS circles
}
CALL (circles) {
  UNWIND $ends AS uid
  MATCH (end:Decision {uid: uid})
  SET end.locked_by_nomograph = true
  REMOVE end.locked_by_nomograph
  RETURN count(*) AS locked
}
WITH locked
MATCH (a:Decision {uid: $source})
MATCH (b:Decision {uid: $target})
CALL (a, b) {
  CALL (a, b) {
    WITH a, b WHERE $type = 'SUPERSEDES' MATCH p = shortestPath((b)-[:SUPERSEDES*..100000]->(a)) RETURN p
    UNION
    WITH a, b WHERE $type = 'DEPENDS_ON' MATCH p = shortestPath((b)-[:DEPENDS_ON*..30]->(a)) WHERE all(n IN nodes(p) WHERE true /* visible: n:Decision */) RETURN p
    UNION
    WITH a, b WHERE $type = 'BLOCKS' MATCH p = shortestPath((b)-[:BLOCKS*..30]->(a)) WHERE all(n IN nodes(p) WHERE true /* visible: n:Decision */) RETURN p
  }
  RETURN [p IN collect(p) | [n IN nodes(p) WHERE true /* visible: n:Decision */ | n.id]] AS circles
}
WITH a, b, circles[0] AS circle, EXISTS { MATCH (a)-[before]->(b) WHERE type(before) = $type } AS there
CALL (a, b, circle, there) {
  WITH a, b, circle, there WHERE NOT ($type = 'SUPERSEDES' AND circle IS NOT NULL)
  MERGE (a)-[r:$($type)]->(b)
  ON CREATE SET r.created_at = datetime(), r.created_by = $by
  SET r.weight = coalesce($weight, r.weight, 1.0), r.context = coalesce($context, r.context), r.auto = null
  CREATE (change:LinkChange {uid: $uid, schema_version: 1, at: datetime(), by: $by, kind: CASE WHEN there THEN 'changed' ELSE 'made' END, type: $type, weight: r.weight, context: r.context})
  CREATE (change)-[:LINKED_FROM]->(a)
  CREATE (change)-[:LINKED_TO]->(b)
  RETURN collect(r {.weight, .created_at, .created_by, .context}) AS edges
}
RETURN edges[0] AS edge, NOT there AS created, circle AS cycle
