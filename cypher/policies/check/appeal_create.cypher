// Appeals the verdict $verdict with $appeal {uid, reason, agent, agent_key, asked_by, rules}, unless it has an appeal. Returns the verdict's appeal, and whether this call created it.
MATCH (v:Verdict {uid: $verdict})
SET v.held = true
REMOVE v.held
WITH v, EXISTS { (v)<-[:AGAINST]-(:Appeal) } AS known
FOREACH (denial IN CASE WHEN known THEN [] ELSE [v] END |
  CREATE (a:Appeal)-[:AGAINST]->(denial)
  SET a = $appeal, a.schema_version = 1, a.state = 'open', a.at = datetime(), a.verdict = v.uid, a.project = v.project, a.category = v.category, a.stakes = v.stakes, a.description = v.description, a.denied_agent = v.agent)
WITH v, known
MATCH (v)<-[:AGAINST]-(a:Appeal)
RETURN properties(a) AS appeal, NOT known AS created
LIMIT 1
