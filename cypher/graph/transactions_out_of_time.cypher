// The transactions that were told to end, or are $grace milliseconds past the limit of their caller: their CPU time, and whose they are.
SHOW TRANSACTIONS YIELD transactionId, status, elapsedTime, cpuTime, metaData
WHERE status STARTS WITH 'Terminated' OR elapsedTime.milliseconds > metaData.limit_ms + $grace
RETURN transactionId AS id, status STARTS WITH 'Terminated' AS told, elapsedTime.milliseconds AS elapsed_ms,
       coalesce(cpuTime.milliseconds, 0) AS cpu_ms,
       metaData.app AS app, metaData.process AS process, metaData.operation AS operation, metaData.statement AS statement
