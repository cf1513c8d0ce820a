// Returns the cells of $scopes in the periods from $from to $to, as days before today by the database's clock, or 'all' if null.
UNWIND $scopes AS scope
WITH scope, date({timezone: 'UTC'}) AS today
RETURN scope, toString(today) AS today, COLLECT {
  MATCH (c:CalibrationCell {scope: scope})
  WHERE c.period >= CASE WHEN $from IS NULL THEN 'all' ELSE toString(today - duration({days: $from})) END AND c.period <= CASE WHEN $to IS NULL THEN 'all' ELSE toString(today - duration({days: $to})) END
  RETURN c {.period, .counts, .sums}
} AS cells
