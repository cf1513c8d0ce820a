// List decisions whose verdict violated a policy, newest first.
// $rule: string, name of the policy
// $limit: integer = 50, maximum number of results
MATCH (:SYS_Policy {name: $rule})-[:HAS_VERSION]->(version)<-[applied:APPLIED]-(v:Verdict)-[:JUDGED]->(d:Decision)
RETURN d.id AS id, d.decision AS decision, v.at AS at, v.allowed AS allowed, applied.result AS result
ORDER BY at DESC
LIMIT toInteger($limit)
