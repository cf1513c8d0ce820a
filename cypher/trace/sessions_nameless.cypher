// Returns sessions whose uid is empty or not a string, which nothing else finds. No parameters.
MATCH (s:Session)
WHERE s.uid IS NULL OR s.uid IS NOT :: STRING OR s.uid = ''
RETURN s.uid AS uid, coalesce(s.id, elementId(s)) AS id, s.agent AS agent, s.workspace AS workspace, s.started_at AS started_at, s.head AS head, s.count AS count,
       s.ambient AS ambient, s.last_at AS last_at, s.ended_at AS ended_at, s.consumed AS consumed, s.kind AS kind
