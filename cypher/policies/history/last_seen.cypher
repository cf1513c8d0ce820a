// Returns when the recorded version of each node of $nodes {id, label, name} was last known to be current: its latest change, the latest sync, or its latest verdict.
CYPHER replan=skip
UNWIND $nodes AS node
MATCH (n)-[:CURRENT_VERSION]->(v:SYS_Version) WHERE elementId(n) = node.id
CALL (node) { MATCH (c:SYS_Change {label: node.label, name: node.name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid) WHERE c.at IS NOT NULL AND c.uid >= '' RETURN c.at AS changed ORDER BY c.label DESC, c.name DESC, c.at DESC LIMIT 1 }
OPTIONAL MATCH (sync:SYS_Lock {name: 'sync'})
CALL (v) {
  MATCH (v)<-[:INCLUDES]-(r:SYS_Revision)
  CALL (r) { MATCH (verdict:Verdict {revision: r.hash}) WHERE verdict.at IS NOT NULL RETURN verdict.at AS judged ORDER BY verdict.revision DESC, verdict.at DESC LIMIT 1 }
  RETURN max(judged) AS judged
}
RETURN node.id AS id, reduce(latest = changed, t IN [sync.at, judged] | CASE WHEN t > latest THEN t ELSE latest END) AS seen
