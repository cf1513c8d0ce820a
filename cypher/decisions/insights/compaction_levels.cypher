// Returns how many decisions were reviewed in each of $ranges [{from, to}], in days ago, and how many of these are preserved: at most $most. Also returns how many have no outcome, at most $most of $budget examined. $category: null for any. Only decisions that the caller may see.
CALL () {
  UNWIND $ranges AS range
  CALL (range) {
    CALL (range) {
      MATCH (d:Decision) USING INDEX SEEK d:Decision(reviewed_at, uid)
      WHERE d.reviewed_at > datetime() - duration({days: range.to}) AND d.reviewed_at <= datetime() - duration({days: range.from}) AND d.uid >= '' AND true /* visible: d:Decision */
      RETURN d LIMIT CASE WHEN $category IS NULL THEN $most ELSE 0 END
      UNION ALL
      MATCH (d:Decision) USING INDEX SEEK d:Decision(category, reviewed_at)
      WHERE d.category = $category AND d.reviewed_at > datetime() - duration({days: range.to}) AND d.reviewed_at <= datetime() - duration({days: range.from}) AND true /* visible: d:Decision */
      RETURN d LIMIT $most
    }
    RETURN count(d) AS n, sum(CASE WHEN coalesce(d.preserve, false) THEN 1 ELSE 0 END) AS preserved
  }
  RETURN collect([n, preserved]) AS levels
}
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = 'pending' AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.status DESC, d.created_at DESC, d.uid DESC LIMIT $budget
  WHERE ($category IS NULL OR d.category = $category) AND true /* visible: d:Decision */
  WITH d LIMIT $most
  RETURN count(d) AS pending
}
RETURN levels, pending
