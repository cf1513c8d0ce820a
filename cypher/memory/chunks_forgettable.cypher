// Returns the next $limit chunks after $after_uid that may be forgotten, which excludes chunks of decisions. Filters: $project, session $session, time from $from until $to, $uids; null for any. It includes the text of chunks that contain all of $words, the session with its beginning, and the events of the chunk.
MATCH (c:Chunk) USING INDEX c:Chunk(uid)
WHERE c.uid > $after_uid AND c.kind <> 'decision' AND ($project IS NULL OR c.project = $project) AND ($session IS NULL OR c.session = $session)
  AND ($from IS NULL OR c.ends_at >= $from) AND ($to IS NULL OR c.at <= $to) AND ($uids IS NULL OR c.uid IN $uids)
WITH c ORDER BY c.uid LIMIT $limit
MATCH (s:Session {uid: c.session})
OPTIONAL MATCH (next:Chunk {session: c.session, position: c.position + 1})
RETURN c.uid AS uid, c.project AS project, c.session AS session, s.id AS session_id, coalesce(s.agent, '') AS owner, c.kind AS kind, left(c.text, 200) AS begins, c.at AS at,
       c.position AS position, c.tokens AS tokens, CASE WHEN c.position = 0 THEN 0 ELSE c.first END AS first, CASE WHEN next.first > c.last THEN next.first - 1 ELSE c.last END AS last,
       CASE WHEN $words IS NULL OR NOT all(word IN $words WHERE toLower(c.text) CONTAINS word) THEN '' ELSE c.text END AS text
ORDER BY uid
