// Returns all cells from the day $oldest on, and the all-time cells.
MATCH (c:CalibrationCell) WHERE c.period >= $oldest
RETURN c.scope AS scope, c.period AS period, properties(c) AS cell
