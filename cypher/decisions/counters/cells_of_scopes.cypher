// Returns the cells of $scopes in the periods from $from to $to, as days before today by the database's clock, or 'all' if null. With $reasons it includes reason statistics. Also returns the day, and how many decisions are not counted in their current state.
CALL () { MATCH (u:Uncounted) RETURN count(u) AS pending }
WITH pending, date({timezone: 'UTC'}) AS today
UNWIND $scopes AS scope
RETURN scope, pending, toString(today) AS today, COLLECT {
  MATCH (c:CalibrationCell {scope: scope})
  WHERE c.period >= CASE WHEN $from IS NULL THEN 'all' ELSE toString(today - duration({days: $from})) END AND c.period <= CASE WHEN $to IS NULL THEN 'all' ELSE toString(today - duration({days: $to})) END
  RETURN c {.period, .counts, .sums, reason_counts: CASE WHEN $reasons THEN c.reason_counts END, reason_sums: CASE WHEN $reasons THEN c.reason_sums END}
} AS cells
