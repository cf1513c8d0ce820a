// Returns sessions by uid after $after, how many have the uid, and their total number. $limit.
MATCH (s:Session) USING INDEX SEEK s:Session(uid)
WHERE s.uid > $after
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.started_at AS started_at,
       s.head AS head, s.count AS count, s.ambient AS ambient, s.last_at AS last_at, s.ended_at AS ended_at, s.consumed AS consumed, s.kind AS kind,
       COUNT { MATCH (:Session {uid: s.uid}) } AS same, COUNT { MATCH (:Session) } AS total
ORDER BY s.uid LIMIT $limit
