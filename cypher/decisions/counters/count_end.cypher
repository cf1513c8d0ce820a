// Deletes the cells $empty [{scope, period}] and at most $most cells of days before $oldest, and stores what is now counted of the decisions $counted [{node, as}].
CALL () {
  UNWIND $empty AS key
  MATCH (c:CalibrationCell {scope: key.scope, period: key.period}) USING INDEX SEEK c:CalibrationCell(scope, period)
  DETACH DELETE c
}
CALL () {
  MATCH (c:CalibrationCell) WHERE c.period < $oldest
  WITH c LIMIT $most
  DETACH DELETE c
}
UNWIND $counted AS row
MATCH (d) WHERE elementId(d) = row.node
SET d.counted_as = row.as
REMOVE d:Uncounted
