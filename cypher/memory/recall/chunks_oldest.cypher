// Returns the oldest $limit chunks that the caller may see, of the project $project or the session $session (a uid), of the agent $agent (in lower case), from $from until before $to; null for any.
CALL () {
  WITH $session AS wanted WHERE wanted IS NOT NULL
  MATCH (c:Chunk) USING INDEX c:Chunk(session, position)
  WHERE c.session = wanted AND c.position >= 0 AND c.at >= $from AND c.at < $to
    AND ($agent IS NULL OR toLower(c.agent) = $agent) AND true /* visible: c:Chunk */
  RETURN c ORDER BY c.session, c.position LIMIT $limit
  UNION ALL
  WITH $project AS wanted WHERE wanted IS NOT NULL AND $session IS NULL
  MATCH (c:Chunk) USING INDEX c:Chunk(project, at, uid)
  WHERE c.project = wanted AND c.at >= $from AND c.at < $to AND c.uid >= ''
    AND ($agent IS NULL OR toLower(c.agent) = $agent) AND true /* visible: c:Chunk */
  RETURN c ORDER BY c.project, c.at, c.uid LIMIT $limit
  UNION ALL
  WITH $project AS wanted WHERE wanted IS NULL AND $session IS NULL
  MATCH (c:Chunk) USING INDEX c:Chunk(at, uid)
  WHERE c.at >= $from AND c.at < $to AND c.uid >= ''
    AND ($agent IS NULL OR toLower(c.agent) = $agent) AND true /* visible: c:Chunk */
  RETURN c ORDER BY c.at, c.uid LIMIT $limit
}
OPTIONAL MATCH (s:Session {uid: c.session})
RETURN c.uid AS uid, c.project AS project, c.session AS session, c.position AS position, c.agent AS agent, c.kind AS kind, c.at AS at, c.ends_at AS ends_at, c.tokens AS tokens, c.text AS text, coalesce(s.id, c.session, '') AS session_id,
       CASE WHEN c.kind = 'fact' THEN {subject: c.subject, valid_from: c.valid_from, valid_until: c.valid_until, superseded_at: c.superseded_at,
         by: COLLECT { MATCH (n:Chunk)-[:SUPERSEDES]->(c) WHERE true /* visible: n:Chunk */ RETURN n.uid LIMIT 1 }[0]} END AS fact,
       COLLECT {
         MATCH (c)-[:FROM]->(d:Decision)
         WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND (d.outcome IN ['failure', 'abandoned'] OR EXISTS { (d)<-[:SUPERSEDES]-(newer:Decision) WHERE true /* visible: newer:Decision */ })
         RETURN {id: d.id, title: left(d.decision, 200), outcome: d.outcome,
                 lessons: COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN left(coalesce(r.lessons, ''), 300) }[0],
                 superseded_by: COLLECT { MATCH (d)<-[:SUPERSEDES]-(n:Decision) WHERE NOT n:Retracted AND true /* visible: n:Decision */ RETURN {id: n.id, title: left(n.decision, 200), chunk: COLLECT { MATCH (n)<-[:FROM]-(x:Chunk {kind: 'decision'}) WHERE true /* visible: x:Chunk */ RETURN x.uid LIMIT 1 }[0]} LIMIT 3 }}
         LIMIT 5
       } AS decisions
