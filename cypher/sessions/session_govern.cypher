// Stores the purpose of the session $uid: $goal, $atlases (null for any), $risk_tier. It becomes the ambient session of its agent and workspace for $connection.
MATCH (s:Session {uid: $uid})
SET s.goal = $goal, s.atlases = $atlases, s.risk_tier = $risk_tier, s.ambient = true, s.connection = $connection
