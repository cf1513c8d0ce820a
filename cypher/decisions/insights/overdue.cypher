// Returns pending decisions whose review is overdue: the number of each priority, [high, medium, low], at most $most, and the first $limit with at least the priority $least (3 high, 1 low). $category, $project, $agent: null for any. It examines $budget decisions of each index; whole: it examined all. Only decisions that the caller may see.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, review_by, uid)
  WHERE d.status = 'pending' AND d.review_by < datetime() AND d.uid >= ''
  WITH d ORDER BY d.status, d.review_by, d.uid LIMIT $budget
  RETURN collect(d) AS due
}
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $project AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.project, d.created_at, d.uid LIMIT $budget
  RETURN collect(d) AS of_project
}
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = $agent AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.agent, d.created_at, d.uid LIMIT $budget
  RETURN collect(d) AS of_agent
}
WITH due, of_project, of_agent, size(due) < $budget OR $project IS NOT NULL AND size(of_project) < $budget OR $agent IS NOT NULL AND size(of_agent) < $budget AS whole
CALL (due, of_project, of_agent) {
  UNWIND due + of_project + of_agent AS d
  WITH DISTINCT d
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND d.status = 'pending' AND d.review_by < datetime()
    AND ($category IS NULL OR d.category = $category)
    AND ($project IS NULL OR d.project = $project)
    AND ($agent IS NULL OR d.agent = $agent)
  WITH d, CASE WHEN d.stakes IN ['high', 'critical'] THEN 3 WHEN d.stakes = 'low' THEN 1 ELSE 2 END AS priority, d.review_by AS at
  ORDER BY at, d.uid LIMIT $most
  WITH d, priority, at ORDER BY priority DESC, at, d.uid
  WITH [sum(CASE priority WHEN 3 THEN 1 ELSE 0 END), sum(CASE priority WHEN 2 THEN 1 ELSE 0 END), sum(CASE priority WHEN 1 THEN 1 ELSE 0 END)] AS counts,
       collect(CASE WHEN priority >= $least THEN {priority: priority, at: at, d: d} END)[..$limit] AS first
  RETURN counts, [one IN first | {priority: one.priority, at: one.at, decision: {id: one.d.id, category: one.d.category, stakes: one.d.stakes, created_at: one.d.created_at, decision: left(ltrim(one.d.decision), 160)}}] AS found
}
RETURN counts, found, whole, datetime() AS now
