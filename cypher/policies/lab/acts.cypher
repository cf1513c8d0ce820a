// Returns verdicts with the action that each is about and the decision that records it, oldest first, after ($after, $after_uid) and before $before. $agent, $project, $category: null for any. $limit. Only verdicts that the caller may see.
MATCH (v:Verdict) USING INDEX SEEK v:Verdict(at, uid)
WHERE v.at >= $after AND v.at < $before AND v.uid >= ''
WITH v ORDER BY v.at, v.uid
WHERE CASE WHEN v.at = $after THEN v.uid > $after_uid ELSE true END
  AND true /* visible: v:Verdict */
  AND ($agent IS NULL OR v.agent = $agent)
  AND ($project IS NULL OR v.project = $project)
  AND ($category IS NULL OR v.category = $category)
WITH v LIMIT $limit
OPTIONAL MATCH (v)-[:JUDGED]->(d:Decision)
WITH v, head(collect(d)) AS d
RETURN v.uid AS uid, v.at AS at, v.allowed AS allowed, v.agent AS agent, v.project AS project, v.session AS session, v.category AS category, v.stakes AS stakes,
       v.description AS description, v.inputs AS inputs, v.inputs_kept AS inputs_kept, v.revision AS revision, v.schema_version AS version, v.action_key AS action_key,
       v.masked AS masked, v.applied AS applied, v.applied_results AS applied_results, v.overridden_by AS overridden_by, v.forced AS forced, v.consensus AS consensus,
       NOT v.allowed AND v.results STARTS WITH '{"violations":[]' AS by_session, EXISTS { (v)<-[:UNDER]-() } AS executed, CASE WHEN NOT v.allowed THEN [(v)<-[:AGAINST]-(a:Appeal) | a {.state, .rules}][0] END AS appeal, d.id AS decision, d.uid AS decision_uid, d.outcome AS outcome, d:Retracted AS retracted
ORDER BY at, uid
