// Stores $cells [{scope, period, names, sums}], sorted by scope and period.
UNWIND $cells AS row
MERGE (c:CalibrationCell {scope: row.scope, period: row.period})
ON CREATE SET c += row.names
SET c += row.sums
