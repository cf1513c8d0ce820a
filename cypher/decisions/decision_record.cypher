// Records $decision, with a review due in $review_days, by $agent, with $reasons, $projects, $tags, $patterns, the $events of $session up to $consumed, $related decisions and its $verdict.
MERGE (a:Agent {key: $agent.key}) ON CREATE SET a += $agent
CREATE (a)-[:MADE]->(d:Decision:Unindexed:Uncounted:Unremembered)
SET d += $decision, d.agent = a.name, d.recorded_at = datetime(), d.created_at = datetime(), d.updated_at = datetime(),
    d.review_by = CASE WHEN $review_days IS NULL THEN null ELSE datetime() + duration({days: $review_days}) END
WITH d
CALL (d) {
  MATCH (s:Session {uid: $session})
  SET s.last_at = datetime()
  WITH d, s, coalesce(CASE WHEN s.consumed IS :: INTEGER THEN s.consumed END, 0) AS first
  SET s.consumed = CASE WHEN $consumed > first THEN $consumed ELSE first END
  WITH d, first
  UNWIND range(0, size($events) - 1) AS i
  MATCH (e:TraceEvent {uid: $events[i]}) WHERE e.seq >= first
  CREATE (d)-[:DELIBERATED_BY {position: i + 1}]->(e)
  RETURN count(*) AS attached
}
FOREACH (node IN $projects | MERGE (p:Project {key: node.key}) ON CREATE SET p += node CREATE (d)-[:IN_PROJECT]->(p) SET d.project = p.name)
FOREACH (node IN $tags | MERGE (t:Tag {key: node.key}) ON CREATE SET t += node CREATE (d)-[:TAGGED]->(t))
FOREACH (node IN $patterns | MERGE (p:Pattern {key: node.key}) ON CREATE SET p += node CREATE (d)-[:FOLLOWS]->(p))
FOREACH (reason IN $reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
WITH d, attached
CALL (d) {
  UNWIND $related AS other
  MATCH (o:Decision {uid: other.uid})
  CREATE (d)-[:RELATES_TO {weight: other.weight, context: 'named here, and found while deliberating', auto: true, created_at: datetime(), created_by: $agent.name}]->(o)
  RETURN count(*) AS related
}
CALL (d) {
  CREATE (v:Verdict)-[:JUDGED]->(d)
  SET v = $verdict.properties
  WITH v
  UNWIND $verdict.objections AS objection
  MATCH (p:SYS_Version {hash: objection.version, of: 'SYS_Policy'}) USING INDEX p:SYS_Version(hash)
  CREATE (v)-[:APPLIED {result: objection.result}]->(p)
  RETURN count(*) AS objections
}
RETURN d.id AS id, d.created_at AS at, attached, related
