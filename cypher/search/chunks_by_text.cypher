// Returns the $limit best chunks for the Lucene query $query among its first $fetch hits, each as [uid, score, session]; $after, $before: null for any. Also returns, for the first $read, text, session, and which of their decisions failed or were superseded.
CALL db.index.fulltext.queryNodes('chunk_text', $query, {limit: $fetch}) YIELD node AS c, score
WHERE c:Chunk AND true /* visible: c:Chunk */
  AND ($after IS NULL OR c.ends_at >= $after)
  AND ($before IS NULL OR c.at <= $before)
WITH c, score ORDER BY score DESC, c.uid LIMIT $limit
WITH collect(c) AS found, collect([c.uid, score, c.session]) AS hits
CALL (found) {
  UNWIND found[..$read] AS c
  OPTIONAL MATCH (s:Session {uid: c.session})
  RETURN collect({uid: c.uid, project: c.project, session: c.session, position: c.position, agent: c.agent, kind: c.kind, at: c.at, ends_at: c.ends_at, tokens: c.tokens, text: c.text, session_id: coalesce(s.id, c.session, ''),
       fact: CASE WHEN c.kind = 'fact' THEN {subject: c.subject, valid_from: c.valid_from, valid_until: c.valid_until, superseded_at: c.superseded_at,
         by: COLLECT { MATCH (n:Chunk)-[:SUPERSEDES]->(c) WHERE true /* visible: n:Chunk */ RETURN n.uid LIMIT 1 }[0]} END,
       decisions: COLLECT {
         MATCH (c)-[:FROM]->(d:Decision)
         WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND (d.outcome IN ['failure', 'abandoned'] OR EXISTS { (d)<-[:SUPERSEDES]-(newer:Decision) WHERE true /* visible: newer:Decision */ })
         RETURN {id: d.id, title: left(d.decision, 200), outcome: d.outcome,
                 lessons: COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN left(coalesce(r.lessons, ''), 300) }[0],
                 superseded_by: COLLECT { MATCH (d)<-[:SUPERSEDES]-(n:Decision) WHERE NOT n:Retracted AND true /* visible: n:Decision */ RETURN {id: n.id, title: left(n.decision, 200), chunk: COLLECT { MATCH (n)<-[:FROM]-(x:Chunk {kind: 'decision'}) WHERE true /* visible: x:Chunk */ RETURN x.uid LIMIT 1 }[0]} LIMIT 3 }}
         LIMIT 5
       }}) AS read
}
RETURN hits, read
