// Returns the statements that ran since they were forgotten: the first line of each, how often it ran and was planned, and the
// milliseconds of planning. A cached plan takes about a millisecond. No parameters.
CALL db.stats.retrieve('QUERIES', {maxInvocations: 8192}) YIELD data
WITH split(replace(data.query, 'CYPHER replan=skip ', ''), '\n')[0] AS line, [call IN data.invocations | call.elapsedCompileTimeInUs / 1000] AS planning
WITH line, size(planning) AS runs, [ms IN planning WHERE ms >= 10] AS plans
RETURN line, runs, size(plans) AS plans, reduce(sum = 0, ms IN plans | sum + ms) AS planning_ms
