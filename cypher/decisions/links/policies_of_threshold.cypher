// Returns the policies that read the threshold $name: linked to it, or naming it in a condition.
MATCH (p:SYS_Policy)
WHERE EXISTS { (p)-[:USES_THRESHOLD]->(:SYS_Threshold {name: $name}) }
   OR any(condition IN [p.applies_when, p.requires] WHERE condition CONTAINS 'threshold("' + $name + '"' OR condition CONTAINS "threshold('" + $name + "'")
RETURN DISTINCT p.name AS name ORDER BY name LIMIT 100
