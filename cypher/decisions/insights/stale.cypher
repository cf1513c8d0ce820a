// Returns pending decisions without a review date that are still open at their source, recorded more than $days days ago. It returns the number of each priority, [high, medium, low], at most $most, and the first $limit with at least the priority $least (3 high, 1 low); high means more than 2 * $days days ago. $category, $project, $agent: null for any. It examines $budget decisions of each index; whole: it examined all. Only decisions that the caller may see.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = 'pending' AND d.created_at < datetime() - duration({days: $days}) AND d.uid >= ''
  WITH d ORDER BY d.status, d.created_at, d.uid LIMIT $budget
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
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND d.status = 'pending' AND d.review_by IS NULL AND d.created_at < datetime() - duration({days: $days})
    // Imported records with another status, or none, are history: they need no review unless they have a review date.
    AND (d.source IS NULL OR toLower(trim(d.source_status)) IN ['pending', 'open', 'draft', 'proposed', 'proposal', 'rfc', 'in review', 'under review', 'review', 'in progress', 'wip'])
    AND ($category IS NULL OR d.category = $category)
    AND ($project IS NULL OR d.project = $project)
    AND ($agent IS NULL OR d.agent = $agent)
  WITH d, CASE WHEN d.created_at < datetime() - duration({days: 2 * $days}) THEN 3 ELSE 2 END AS priority, d.created_at AS at
  ORDER BY at, d.uid LIMIT $most
  WITH d, priority, at ORDER BY priority DESC, at, d.uid
  WITH [sum(CASE priority WHEN 3 THEN 1 ELSE 0 END), sum(CASE priority WHEN 2 THEN 1 ELSE 0 END), sum(CASE priority WHEN 1 THEN 1 ELSE 0 END)] AS counts,
       collect(CASE WHEN priority >= $least THEN {priority: priority, at: at, d: d} END)[..$limit] AS first
  RETURN counts, [one IN first | {priority: one.priority, at: one.at, decision: {id: one.d.id, category: one.d.category, stakes: one.d.stakes, created_at: one.d.created_at, decision: left(ltrim(one.d.decision), 160)}}] AS found
}
RETURN counts, found, whole, datetime() AS now
