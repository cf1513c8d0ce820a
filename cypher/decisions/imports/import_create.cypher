// Creates the decisions $rows [{properties, agents, projects, tags, patterns (keys), reasons, reviews}], and the missing ones of $agents, $projects, $tags and $patterns, sorted by key.
CALL () { UNWIND $agents AS node MERGE (a:Agent {key: node.key}) ON CREATE SET a += node }
CALL () { UNWIND $projects AS node MERGE (p:Project {key: node.key}) ON CREATE SET p += node }
CALL () { UNWIND $tags AS node MERGE (t:Tag {key: node.key}) ON CREATE SET t += node }
CALL () { UNWIND $patterns AS node MERGE (p:Pattern {key: node.key}) ON CREATE SET p += node }
UNWIND $rows AS row
CREATE (d:Decision:Unindexed:Uncounted:Unremembered)
SET d = row.properties, d.recorded_at = datetime(), d.updated_at = datetime(), d.created_at = coalesce(row.properties.created_at, datetime())
FOREACH (reason IN row.reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
FOREACH (review IN row.reviews | CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = review, r.confidence = d.confidence, r.at = coalesce(review.at, datetime()), d.reviewed_at = r.at)
WITH d, row
CALL (d, row) { UNWIND row.agents AS key MATCH (a:Agent {key: key}) CREATE (a)-[:MADE]->(d) }
CALL (d, row) { UNWIND row.projects AS key MATCH (p:Project {key: key}) CREATE (d)-[:IN_PROJECT]->(p) }
CALL (d, row) { UNWIND row.tags AS key MATCH (t:Tag {key: key}) CREATE (d)-[:TAGGED]->(t) }
CALL (d, row) { UNWIND row.patterns AS key MATCH (p:Pattern {key: key}) CREATE (d)-[:FOLLOWS]->(p) }
RETURN count(d) AS written
