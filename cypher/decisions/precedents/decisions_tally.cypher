// Returns properties of the newest $most decisions from $from to $to that the caller may see, of $project or, if null, of all, and the clock.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE $project IS NULL AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.created_at DESC, d.uid DESC
  WHERE NOT d:Retracted AND true /* visible: d:Decision */
  RETURN d LIMIT $most
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $project AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.project DESC, d.created_at DESC, d.uid DESC
  WHERE NOT d:Retracted AND true /* visible: d:Decision */
  RETURN d LIMIT $most
}
RETURN d.created_at AS at, datetime() AS now, coalesce(d.category, '') AS category, coalesce(d.stakes, '') AS stakes, coalesce(d.status, '') AS status, coalesce(d.agent, '') AS agent, d.tags AS tags
