// The actions about which people answered, as requests for them are spelled. No parameters.
MATCH (a:Approval) WHERE a.action IS NOT NULL AND a.state IN ['granted', 'denied'] AND ($sight IS NULL OR toLower(a.project) IN $sight.projects OR $sight.identity IN [a.agent_key, a.asked_by])
RETURN DISTINCT a.action AS action
