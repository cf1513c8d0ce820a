// Returns what may be shared of the decisions $uids, in this order, with $audience {agent, projects}, in lower case; null for an unknown caller.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]})
WHERE NOT d:Retracted AND (
  d.visibility = 'shared' AND ($audience.projects IS NULL OR toLower(d.project) IN $audience.projects)
  OR d.visibility = 'project' AND toLower(d.project) IN $audience.projects
  OR toLower(d.agent) = $audience.agent
  OR CASE WHEN d.shared_with IS :: LIST<STRING NOT NULL> NOT NULL THEN any(name IN d.shared_with WHERE toLower(trim(name)) = $audience.agent) ELSE false END)
RETURN position, d {.id, .category, .stakes, .confidence, .outcome, .created_at, decision: left(d.decision, 400)} AS decision
ORDER BY position
