// Returns what is counted of the decisions with $agent, $project (keys), $category and $stakes, in lower case; null for any. It reads the decisions of the agent or the project, whichever has fewer.
OPTIONAL MATCH (a:Agent {key: $agent})
OPTIONAL MATCH (p:Project {key: $project})
WITH a, p, COUNT { (a)-[:MADE]->() } AS made, COUNT { (p)<-[:IN_PROJECT]-() } AS held
WHERE ($agent IS NULL OR a IS NOT NULL) AND ($project IS NULL OR p IS NOT NULL)
CALL (a, p, made, held) {
  WITH a, p, made, held WHERE a IS NOT NULL AND (p IS NULL OR made <= held)
  MATCH (a)-[:MADE]->(d:Decision|PeerDecision)
  RETURN d
  UNION ALL
  WITH a, p, made, held WHERE p IS NOT NULL AND (a IS NULL OR made > held)
  MATCH (p)<-[:IN_PROJECT]-(d:Decision)
  RETURN d
  UNION ALL
  UNWIND CASE WHEN a IS NULL AND p IS NULL THEN [1] ELSE [] END AS _ // no WHERE: Neo4j would evaluate it after the scan
  MATCH (d:Decision)
  RETURN d
}
WITH d
WHERE d.uid IS NOT NULL AND d.withdrawn IS NULL
  AND ($category IS NULL OR toLower(trim(d.category)) = $category)
  AND ($stakes IS NULL OR toLower(trim(d.stakes)) = $stakes)
RETURN d.uid AS uid, d:PeerDecision AS theirs, d:Uncounted AS uncounted, d.counted_as AS counted_as, d {.confidence, .category, .stakes, .project, .agent, .pattern, .created_at} AS decision,
       COLLECT { MATCH (d)-[:BECAUSE]->(r:Reason) RETURN r {.type, .strength} } AS reasons,
       CASE WHEN d:PeerDecision THEN [{outcome: d.outcome, at: d.outcome_at, confidence: d.confidence}]
       ELSE COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) RETURN r {.outcome, .at, .confidence} ORDER BY r.number DESC LIMIT 1 } END AS reviews
