// Returns the $limit scopes of $kind with the most reviews, each with its all-time cell and the cells of the last $days days by the database's clock. Also returns the day.
MATCH (c:CalibrationCell)
WHERE c.kind = $kind AND c.period = 'all' AND c.reviewed >= 0
WITH c ORDER BY c.kind DESC, c.period DESC, c.reviewed DESC LIMIT $limit
WITH c.scope AS scope, coalesce(c.category, '') AS category, date({timezone: 'UTC'}) AS today
RETURN scope, category, toString(today) AS today, COLLECT {
  MATCH (c:CalibrationCell {scope: scope})
  WHERE c.period >= toString(today - duration({days: $days})) AND c.period <= 'all'
  RETURN c {.period, .counts, .sums}
} AS cells
