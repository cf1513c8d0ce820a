// The newest $limit answers to requests for the actions $actions that were made before that of the approval $uid, with their parameters; of all of them, those in projects that $sight leaves.
MATCH (asked:Approval {uid: $uid})
MATCH (a:Approval) WHERE a.action IN $actions AND a.asked_at <= asked.asked_at AND a.state IN ['granted', 'denied'] AND coalesce(a.effective_at <= datetime(), true) AND a <> asked
  AND ($sight IS NULL OR toLower(a.project) IN $sight.projects OR $sight.identity IN [a.agent_key, a.asked_by])
RETURN a.uid AS uid, a.params AS params ORDER BY a.asked_at DESC, uid LIMIT $limit
