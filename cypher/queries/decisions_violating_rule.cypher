// Decisions whose verdict has a violation of a policy, newest first.
// $rule: string, the policy's name
// $limit: integer = 50, at most this many
MATCH (:SYS_Policy {name: $rule})-[:HAS_VERSION]->(version)<-[applied:APPLIED]-(v:Verdict)-[:JUDGED]->(d:Decision)
RETURN d.id AS id, d.decision AS decision, v.at AS at, v.allowed AS allowed, applied.result AS result
ORDER BY at DESC
LIMIT toInteger($limit)
