// Returns the $limit groups of $kind with the most reviews of all time.
MATCH (c:CalibrationCell)
WHERE c.kind = $kind AND c.period = 'all' AND c.reviewed >= 0
WITH c ORDER BY c.kind DESC, c.period DESC, c.reviewed DESC LIMIT $limit
RETURN c[$kind] AS value
