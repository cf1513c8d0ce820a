// Returns the statements that ran since the last call: the first line of each, how often it ran and was planned, and the milliseconds
// of planning. A cached plan takes about a millisecond. No parameters.
CALL db.stats.stop('QUERIES') YIELD success
CALL db.stats.retrieve('QUERIES', {maxInvocations: 8192}) YIELD data
WITH split(replace(data.query, 'CYPHER replan=skip ', ''), '\n')[0] AS line, [call IN data.invocations | call.elapsedCompileTimeInUs / 1000] AS planning
WITH collect({line: line, runs: size(planning), plans: [ms IN planning WHERE ms >= 10]}) AS all
CALL db.stats.clear('QUERIES') YIELD success AS cleared
CALL db.stats.collect('QUERIES') YIELD success AS collecting
UNWIND all AS row
RETURN row.line AS line, row.runs AS runs, size(row.plans) AS plans, reduce(sum = 0, ms IN row.plans | sum + ms) AS planning_ms
