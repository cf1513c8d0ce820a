// Returns what is frozen, and the events of the last $hours hours: denied actions, recorded decisions and reviewed decisions. Each has a number, at most $most, and the newest $limit denied actions or $few of the others. $project, $agent: null for any. It examines $budget of each and returns those that the caller may see.
CALL () {
  MATCH (v:Verdict) USING INDEX SEEK v:Verdict(allowed, at, uid)
  WHERE v.allowed = false AND v.at >= datetime() - duration({hours: $hours}) AND v.uid >= ''
  WITH v ORDER BY v.allowed DESC, v.at DESC, v.uid DESC LIMIT $budget
  WHERE true /* visible: v:Verdict */ AND ($project IS NULL OR v.project = $project) AND ($agent IS NULL OR v.agent = $agent)
  WITH v LIMIT $most
  RETURN count(v) AS blocked, collect(v {verdict_id: v.uid, .at, agent_id: v.agent, .project, .description, rules: v.objections, .forced})[..$limit] AS blocks
}
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE d.created_at >= datetime() - duration({hours: $hours}) AND d.uid >= ''
  WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $budget
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($project IS NULL OR d.project = $project) AND ($agent IS NULL OR d.agent = $agent)
  WITH d LIMIT $most
  RETURN count(d) AS recorded, collect(d {.id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern, decision: left(ltrim(d.decision), 160)})[..$few] AS records
}
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(reviewed_at, uid)
  WHERE d.reviewed_at >= datetime() - duration({hours: $hours}) AND d.uid >= ''
  WITH d ORDER BY d.reviewed_at DESC, d.uid DESC LIMIT $budget
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND ($project IS NULL OR d.project = $project) AND ($agent IS NULL OR d.agent = $agent)
  WITH d LIMIT $most
  RETURN count(d) AS reviewed, collect(d {.id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern, decision: left(ltrim(d.decision), 160)})[..$few] AS reviews
}
RETURN COLLECT { MATCH (p:SYS_Policy) WHERE p.freezes IS NOT NULL AND p.active <> false AND (p.frozen_until IS NULL OR p.frozen_until > datetime()) RETURN {policy: p.name, message: p.message} ORDER BY p.name } AS frozen,
       blocked, blocks, recorded, records, reviewed, reviews, datetime() AS now
