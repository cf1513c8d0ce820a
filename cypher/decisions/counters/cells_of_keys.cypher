// Returns the existing cells of $keys [{scope, period}].
UNWIND $keys AS key
MATCH (c:CalibrationCell {scope: key.scope, period: key.period}) USING INDEX SEEK c:CalibrationCell(scope, period)
RETURN c.scope AS scope, c.period AS period, properties(c) AS cell
