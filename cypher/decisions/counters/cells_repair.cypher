// Replaces the sums of $cells [{scope, period, names, sums}], sorted by scope and period, and deletes the cells $empty [{scope, period}].
CALL () {
  UNWIND $cells AS row
  MERGE (c:CalibrationCell {scope: row.scope, period: row.period})
  SET c += row.names
  SET c += row.sums
}
UNWIND $empty AS key
MATCH (c:CalibrationCell {scope: key.scope, period: key.period}) USING INDEX SEEK c:CalibrationCell(scope, period)
DETACH DELETE c
