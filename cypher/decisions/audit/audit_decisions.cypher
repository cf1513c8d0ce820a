// Returns the decisions $uids, those that events of $sessions led to, and, if $wide, those of $project recorded or reviewed since $since (null for any), with reasons, reviews, the number of revisions and the events of $sessions that led to them. $limit.
CALL () {
  UNWIND $uids AS uid
  MATCH (d:Decision {uid: uid}) RETURN d
  UNION
  UNWIND $sessions AS session
  MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
  WHERE e.session = session AND e.seq >= 0
  MATCH (d:Decision)-[:DELIBERATED_BY]->(e) RETURN d
  UNION
  MATCH (d:Decision)
  WHERE $wide AND ($project IS NULL OR toLower(d.project) = $project) AND ($since IS NULL OR d.created_at >= $since OR d.reviewed_at >= $since)
  RETURN d
}
RETURN properties(d) AS decision,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN properties(r) ORDER BY r.number } AS reviews,
  COUNT { (d)-[:HAS_REVISION]->() } AS revisions,
  COLLECT { MATCH (d)-[by:DELIBERATED_BY]->(e:TraceEvent) WHERE e.session IN $sessions RETURN e.uid ORDER BY by.position } AS events
ORDER BY d.uid LIMIT $limit
