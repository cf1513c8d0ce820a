// Returns the newest $limit decisions of several groups, with their reasons and the current review. The groups are: the newest $recorded; of those reviewed from $from to $to days ago the newest $reviewed; the newest $pending without an outcome (of $budget examined); and the newest $preserved preserved ones. $category: null for any. $keep: include preserved ones. Only decisions that the caller may see.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT CASE WHEN $category IS NULL THEN $recorded ELSE 0 END
  RETURN d
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid)
  WHERE d.category = $category AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.category DESC, d.created_at DESC, d.uid DESC LIMIT $recorded
  RETURN d
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(reviewed_at, uid)
  WHERE d.reviewed_at > datetime() - duration({days: $to}) AND d.reviewed_at <= datetime() - duration({days: $from}) AND d.uid >= ''
  WITH d ORDER BY d.reviewed_at DESC, d.uid DESC LIMIT CASE WHEN $category IS NULL THEN $reviewed ELSE 0 END
  RETURN d
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, reviewed_at)
  WHERE d.category = $category AND d.reviewed_at > datetime() - duration({days: $to}) AND d.reviewed_at <= datetime() - duration({days: $from})
  WITH d ORDER BY d.category DESC, d.reviewed_at DESC LIMIT $reviewed
  RETURN d
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = 'pending' AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.status DESC, d.created_at DESC, d.uid DESC LIMIT $budget
  WHERE ($category IS NULL OR d.category = $category) AND true /* visible: d:Decision */
  RETURN d LIMIT $pending
  UNION
  MATCH (d:Preserved) WHERE d:Decision AND true /* visible: d:Decision */ AND ($category IS NULL OR d.category = $category)
  RETURN d ORDER BY d.created_at DESC LIMIT $preserved
}
WITH d WHERE true /* visible: d:Decision */ AND NOT d:Retracted AND ($keep OR NOT coalesce(d.preserve, false))
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $limit
RETURN properties(d) AS decision, datetime() AS now,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN properties(r) LIMIT 1 } AS reviews
ORDER BY d.created_at DESC, d.uid DESC
