// Sessions in the order of their uids, after $after, and how many there are in all. $limit.
MATCH (s:Session) USING INDEX SEEK s:Session(uid)
WHERE s.uid > $after
RETURN s.uid AS uid, s.id AS id, s.agent AS agent, s.workspace AS workspace, s.started_at AS started_at,
       s.head AS head, s.count AS count, COUNT { MATCH (:Session) } AS total
ORDER BY s.uid LIMIT $limit
