// Returns the chunks linked with the chunks $uids that the caller may see: the neighbors in its session, and up to $steps before it (after it if $forward). For facts: what they superseded and what superseded them. For decisions: those they depend on or superseded (if $forward: their dependents and successors). Each with its origin, distance and reason.
UNWIND range(0, size($uids) - 1) AS seed
MATCH (c:Chunk {uid: $uids[seed]})
CALL (c) {
  MATCH (o:Chunk) WHERE c.position IS NOT NULL AND c.kind <> 'fact' AND o.session = c.session AND o.position >= c.position - CASE WHEN $forward THEN 1 ELSE $steps END
    AND o.position <= c.position + CASE WHEN $forward THEN $steps ELSE 1 END AND o <> c
  RETURN o, abs(o.position - c.position) AS steps, CASE WHEN o.position < c.position THEN 'before' ELSE 'after' END AS because
  UNION
  MATCH (c)-[:FROM]->(a:Decision)-[l:DEPENDS_ON|SUPERSEDES]->(b:Decision)<-[:FROM]-(o:Chunk {kind: 'decision'})
  WHERE NOT $forward AND NOT b:Retracted
  RETURN o, 1 AS steps, CASE type(l) WHEN 'DEPENDS_ON' THEN 'a basis of ' ELSE 'superseded by ' END + a.id AS because LIMIT 5
  UNION
  MATCH (c)-[:FROM]->(a:Decision)<-[l:DEPENDS_ON|SUPERSEDES]-(b:Decision)<-[:FROM]-(o:Chunk {kind: 'decision'})
  WHERE NOT b:Retracted AND ($forward OR type(l) = 'SUPERSEDES')
  RETURN o, 1 AS steps, CASE type(l) WHEN 'DEPENDS_ON' THEN 'depends on ' ELSE 'supersedes ' END + a.id AS because LIMIT 5
  UNION
  MATCH path = (c)-[:SUPERSEDES*1..5]->(o:Chunk)
  RETURN o, length(path) AS steps, 'before' AS because LIMIT 5
  UNION
  MATCH path = (c)<-[:SUPERSEDES*1..5]-(o:Chunk)
  RETURN o, 0 AS steps, 'after' AS because LIMIT 5
}
WITH seed, steps, because, o AS c
WHERE true /* visible: c:Chunk */
OPTIONAL MATCH (s:Session {uid: c.session})
RETURN seed, steps, because, c.uid AS uid, c.project AS project, c.session AS session, c.position AS position, c.agent AS agent, c.kind AS kind, c.at AS at, c.ends_at AS ends_at, c.tokens AS tokens, c.text AS text, coalesce(s.id, c.session, '') AS session_id,
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
ORDER BY seed, steps, c.uid
