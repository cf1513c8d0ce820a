// Returns the action and the result of the verdict $uid.
MATCH (v:Verdict {uid: $uid})
RETURN v.agent AS agent, v.name AS name, v.description AS description, v.allowed AS allowed, v.at AS at
