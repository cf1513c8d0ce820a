// Notes what the session $uid is for: $goal, $atlases (null for any), $risk_tier; from now on it is the ambient one of its agent and workspace, for $connection.
MATCH (s:Session {uid: $uid})
SET s.goal = $goal, s.atlases = $atlases, s.risk_tier = $risk_tier, s.ambient = true, s.connection = $connection
