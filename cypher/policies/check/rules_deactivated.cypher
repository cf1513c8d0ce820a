// Returns the element ids of the policies that were active guardrails when last recorded and are not now. No parameters.
MATCH (p:SYS_Policy)-[:CURRENT_VERSION]->(v:SYS_Version)
WHERE NOT coalesce(p.active <> false, false) OR (p.requires IS NULL AND p.forbids_pattern IS NULL)
WITH p, v
WHERE v.properties CONTAINS '"active":' AND NOT v.properties CONTAINS '"active":false' AND (v.properties CONTAINS '"requires":' OR v.properties CONTAINS '"forbids_pattern":')
RETURN elementId(p) AS id
