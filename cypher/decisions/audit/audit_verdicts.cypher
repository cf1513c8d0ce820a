// Returns the verdicts $uids, those on $decisions, those of the sessions with the ids $ids and, if $wide, those of $project since $since (null for any), with the versions that objected, the decisions, the appeals and the executed tool calls. $limit.
CALL () {
  UNWIND $uids AS uid
  MATCH (v:Verdict {uid: uid}) RETURN v
  UNION
  UNWIND $decisions AS uid
  MATCH (v:Verdict)-[:JUDGED]->(:Decision {uid: uid}) RETURN v
  UNION
  MATCH (v:Verdict)
  WHERE v.session IN $ids OR $wide AND ($project IS NULL OR toLower(v.project) = $project) AND ($since IS NULL OR v.at >= $since)
  RETURN v
}
RETURN properties(v) AS verdict,
  COLLECT { MATCH (v)-[a:APPLIED]->(p:SYS_Version) RETURN {version: p.hash, result: a.result} ORDER BY p.hash, a.result } AS versions,
  COLLECT { MATCH (v)-[:JUDGED]->(d:Decision) RETURN d.uid ORDER BY d.uid } AS decisions,
  COLLECT { MATCH (v)<-[:AGAINST]-(a:Appeal) RETURN properties(a) ORDER BY a.uid } AS appeals,
  COLLECT { MATCH (v)<-[:UNDER]-(e:Execution) RETURN e {.uid, .at, .kind, .tool, .client, .agent, .project, .outcome} ORDER BY e.at, e.uid } AS executions
ORDER BY v.uid LIMIT $limit
