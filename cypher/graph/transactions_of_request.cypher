// Returns the running transactions of the request $request.
SHOW TRANSACTIONS YIELD transactionId, status, metaData
WHERE metaData.request = $request AND NOT metaData.statement STARTS WITH 'graph/'
RETURN transactionId AS id, status
