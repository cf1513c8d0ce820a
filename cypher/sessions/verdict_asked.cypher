// What the verdict $uid was about, and how it came out.
MATCH (v:Verdict {uid: $uid})
RETURN v.agent AS agent, v.name AS name, v.description AS description, v.allowed AS allowed, v.at AS at
