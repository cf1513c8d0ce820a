// Updates the locked decisions $rows [{uid, properties, revisions, agents, projects, tags, patterns (keys), reasons, reviews}] from their source, and creates the missing ones of $agents, $projects, $tags and $patterns, sorted by key.
CALL () { UNWIND $agents AS node MERGE (a:Agent {key: node.key}) ON CREATE SET a += node }
CALL () { UNWIND $projects AS node MERGE (p:Project {key: node.key}) ON CREATE SET p += node }
CALL () { UNWIND $tags AS node MERGE (t:Tag {key: node.key}) ON CREATE SET t += node }
CALL () { UNWIND $patterns AS node MERGE (p:Pattern {key: node.key}) ON CREATE SET p += node }
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
SET d:Unindexed:Uncounted:Unremembered, d += row.properties, d.updated_at = datetime()
FOREACH (revision IN row.revisions | CREATE (d)-[:HAS_REVISION]->(r:Revision) SET r = revision, r.at = datetime())
WITH d, row
CALL (d) { MATCH (d)-[old:IN_PROJECT|TAGGED|FOLLOWS]->() DELETE old }
CALL (d) { MATCH (d)<-[old:MADE]-() DELETE old }
CALL (d) { MATCH (d)-[:BECAUSE]->(old:Reason) DETACH DELETE old }
CALL (d, row) { WITH d, row WHERE row.reviews <> [] MATCH (d)-[:HAS_REVIEW]->(before:Review {in_force: true}) SET before.in_force = false }
FOREACH (reason IN row.reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
FOREACH (review IN row.reviews | CREATE (d)-[:HAS_REVIEW]->(r:Review) SET r = review, r.confidence = d.confidence, r.at = coalesce(review.at, datetime()), d.reviewed_at = r.at)
WITH d, row
CALL (d, row) { UNWIND row.agents AS key MATCH (a:Agent {key: key}) CREATE (a)-[:MADE]->(d) }
CALL (d, row) { UNWIND row.projects AS key MATCH (p:Project {key: key}) CREATE (d)-[:IN_PROJECT]->(p) }
CALL (d, row) { UNWIND row.tags AS key MATCH (t:Tag {key: key}) CREATE (d)-[:TAGGED]->(t) }
CALL (d, row) { UNWIND row.patterns AS key MATCH (p:Pattern {key: key}) CREATE (d)-[:FOLLOWS]->(p) }
RETURN count(d) AS written
