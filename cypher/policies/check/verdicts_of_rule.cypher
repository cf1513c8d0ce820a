// Returns verdicts with a violation of the rule $rule that the caller may see, newest first, before ($before, $before_uid). $after, $agent, $allowed, $project: null for any. $limit.
MATCH (:SYS_Version {of: 'SYS_Policy', name: $rule})<-[:APPLIED]-(v:Verdict)
WHERE v.at <= $before
WITH DISTINCT v ORDER BY v.at DESC, v.uid DESC
WHERE CASE WHEN v.at = $before THEN v.uid < $before_uid ELSE true END
  AND ($after IS NULL OR v.at >= $after)
  AND true /* visible: v:Verdict */
  AND ($agent IS NULL OR v.agent = $agent)
  AND ($allowed IS NULL OR v.allowed = $allowed)
  AND ($project IS NULL OR v.project = $project)
RETURN v.uid AS verdict_id, v.at AS at, v.allowed AS allowed, v.agent AS agent_id, v.project AS project, v.stakes AS stakes,
       v.description AS description, v.objections AS rules, v.revision AS revision, CASE WHEN NOT v.allowed THEN v.results END AS results, v.forced AS forced,
       CASE WHEN NOT v.allowed THEN head(COLLECT { MATCH (a:Approval {verdict: v.uid}) USING INDEX a:Approval(verdict) WHERE true /* visible: a:Approval */ RETURN CASE WHEN a.state = 'granted' THEN 'approved' WHEN a.state = 'denied' THEN 'rejected' WHEN a.state = 'waiting' AND a.expires_at > datetime() THEN 'waiting' END }) END AS approval
LIMIT $limit
