// List decisions reviewed within a period, by time of review.
// $from: string, first day, such as 2026-11-16
// $days: integer = 7, number of days
// $category: string = "", only of this category
// $project: string = "", only of this project
// $stakes: string = "", only with these stakes
// $by: string = "", only of this agent
// $limit: integer = 500, maximum number of results
MATCH (d:Decision)
WHERE d.reviewed_at >= datetime($from) AND d.reviewed_at < datetime($from) + duration({days: $days}) AND d.uid >= ''
  AND ($category = '' OR toLower(d.category) = toLower($category)) AND ($project = '' OR toLower(d.project) = toLower($project))
  AND ($stakes = '' OR toLower(d.stakes) = toLower($stakes)) AND ($by = '' OR toLower(d.agent) = toLower($by))
RETURN d.id AS id, left(d.decision, 120) AS decision, d.confidence AS confidence, d.outcome AS outcome, d.reviewed_at AS reviewed, d AS node
ORDER BY reviewed
LIMIT toInteger($limit)
