// Returns the transactions that were terminated, or exceed their caller's timeout by $grace milliseconds, with their CPU time and caller.
SHOW TRANSACTIONS YIELD transactionId, status, elapsedTime, cpuTime, metaData
WHERE status STARTS WITH 'Terminated' OR elapsedTime.milliseconds > metaData.limit_ms + $grace
RETURN transactionId AS id, status STARTS WITH 'Terminated' AS told, elapsedTime.milliseconds AS elapsed_ms,
       coalesce(cpuTime.milliseconds, 0) AS cpu_ms,
       metaData.app AS app, metaData.process AS process, metaData.operation AS operation, metaData.statement AS statement
