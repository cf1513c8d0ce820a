// Removes the rules that starts of this graph made, with one of the reasons $reasons, if nothing else is in it: no other change, no node of $others, no rule without a pack, and no link to a foreign node.
WITH 1 AS one
WHERE NOT EXISTS { MATCH (c:SYS_Change) WHERE NOT coalesce(c.why IN $reasons, false) }
  AND NOT EXISTS { MATCH (n:SYS_Policy|SYS_Threshold|SYS_DecisionTable|SYS_DecisionRow|SYS_Program|SYS_FederationSource|SubjectConcept|Atlas|Context) WHERE NOT EXISTS { (n)<-[:OWNS]-(:SYS_Pack) } }
  AND NOT EXISTS { MATCH (n) WHERE any(l IN labels(n) WHERE l IN $others) }
MATCH (n:SYS_Policy|SYS_Threshold|SYS_DecisionTable|SYS_DecisionRow|SYS_Program|SYS_FederationSource|SubjectConcept|Atlas|Context|SYS_Pack|SYS_Change|SYS_Version|SYS_Revision)
WITH collect(n) AS made
WHERE NOT EXISTS { MATCH (n)--(x) WHERE n IN made AND NOT x IN made }
OPTIONAL MATCH (head:SYS_Lock {name: 'rules'})
REMOVE head.revision
WITH DISTINCT made
UNWIND made AS n
DETACH DELETE n
