// Returns the next $limit marked sessions.
MATCH (s:Unremembered) WHERE s:Session AND s.uid IS NOT NULL
WITH s LIMIT $limit
OPTIONAL MATCH (a:Agent {key: s.agent})
RETURN s.uid AS uid, coalesce(a.name, s.agent, '') AS agent, coalesce(s.workspace, '') AS workspace, coalesce(s.project, '') AS project, coalesce(s.title, '') AS title,
       coalesce(s.remembered, 0) AS remembered, coalesce(s.closed, 0) AS closed, coalesce(s.memory_version, 0) AS version, s.count AS count
