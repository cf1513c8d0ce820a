// Returns the $limit all-time cells of $kind with the most reviews. Also returns how many decisions are not counted in their current state.
CALL () { MATCH (u:Uncounted) RETURN count(u) AS pending }
RETURN pending, COLLECT {
  MATCH (c:CalibrationCell)
  WHERE c.kind = $kind AND c.period = 'all' AND c.reviewed >= 0
  WITH c ORDER BY c.kind DESC, c.period DESC, c.reviewed DESC LIMIT $limit
  RETURN c {.category, .stakes, .project, .agent, .pattern, .counts, .sums}
} AS cells
