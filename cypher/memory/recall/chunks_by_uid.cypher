// Returns the chunks $uids, in this order, that the caller may see: text, session, and which of their decisions failed or were superseded.
UNWIND range(0, size($uids) - 1) AS place
MATCH (c:Chunk {uid: $uids[place]})
WHERE true /* visible: c:Chunk */
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
ORDER BY place
