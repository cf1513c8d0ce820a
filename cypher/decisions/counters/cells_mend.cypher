// Gives the cells of $cells [{scope, period, names, sums}], sorted by scope and period, these sums and no others, and takes $empty [{scope, period}] away.
CALL () {
  UNWIND $cells AS row
  MERGE (c:CalibrationCell {scope: row.scope, period: row.period})
  SET c += row.names
  SET c += row.sums
}
UNWIND $empty AS key
MATCH (c:CalibrationCell {scope: key.scope, period: key.period}) USING INDEX SEEK c:CalibrationCell(scope, period)
DETACH DELETE c
