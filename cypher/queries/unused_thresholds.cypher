// List thresholds that no policy and no decision table uses.
// $limit: integer = 100, maximum number of results
MATCH (t:SYS_Threshold)
WHERE NOT EXISTS { (t)<-[:USES_THRESHOLD]-() }
RETURN t.name AS name, t.value AS value, t.decision_table AS decision_table
ORDER BY name
LIMIT toInteger($limit)
