// Returns verdicts on actions of the agent $agent that the caller may see, newest first, before ($before, $before_uid). $after, $allowed, $project: null for any. $limit.
MATCH (v:Verdict) USING INDEX SEEK v:Verdict(agent, at, uid)
WHERE v.agent = $agent AND v.at <= $before AND v.uid >= ''
WITH v ORDER BY v.agent DESC, v.at DESC, v.uid DESC
WHERE CASE WHEN v.at = $before THEN v.uid < $before_uid ELSE true END
  AND ($after IS NULL OR v.at >= $after)
  AND true /* visible: v:Verdict */
  AND ($allowed IS NULL OR v.allowed = $allowed)
  AND ($project IS NULL OR v.project = $project)
RETURN v.uid AS verdict_id, v.at AS at, v.allowed AS allowed, v.agent AS agent_id, v.project AS project, v.stakes AS stakes,
       v.description AS description, v.objections AS rules, v.revision AS revision, CASE WHEN NOT v.allowed THEN v.results END AS results, v.forced AS forced,
       CASE WHEN NOT v.allowed THEN head(COLLECT { MATCH (a:Approval {verdict: v.uid}) USING INDEX a:Approval(verdict) WHERE true /* visible: a:Approval */ RETURN CASE WHEN a.state = 'granted' THEN 'approved' WHEN a.state = 'denied' THEN 'rejected' WHEN a.state = 'waiting' AND a.expires_at > datetime() THEN 'waiting' END }) END AS approval
LIMIT $limit
