// Sets the new $properties of the locked decision $uid and adds its $revision. $projects, $tags, $patterns and $reasons are null if unchanged. With $reindex it is marked for new vectors. Labels mark the few preserved and the retracted decisions, so that they are found and skipped.
MATCH (d:Decision {uid: $uid})
SET d:Uncounted:Unremembered, d += $properties, d.updated_at = datetime()
CREATE (d)-[:HAS_REVISION]->(revision:Revision)
SET revision = $revision, revision.at = datetime()
FOREACH (_ IN CASE WHEN $reindex THEN [1] ELSE [] END | SET d:Unindexed)
REMOVE d:Preserved:Retracted
FOREACH (_ IN CASE WHEN d.preserve THEN [1] ELSE [] END | SET d:Preserved)
FOREACH (_ IN CASE WHEN d.retracted_at IS NOT NULL THEN [1] ELSE [] END | SET d:Retracted)
WITH d
CALL (d) { WITH d WHERE $projects IS NOT NULL MATCH (d)-[old:IN_PROJECT]->() DELETE old }
CALL (d) { WITH d WHERE $tags IS NOT NULL MATCH (d)-[old:TAGGED]->() DELETE old }
CALL (d) { WITH d WHERE $patterns IS NOT NULL MATCH (d)-[old:FOLLOWS]->() DELETE old }
CALL (d) { WITH d WHERE $reasons IS NOT NULL MATCH (d)-[:BECAUSE]->(old:Reason) DETACH DELETE old }
FOREACH (node IN $projects | MERGE (p:Project {key: node.key}) ON CREATE SET p += node CREATE (d)-[:IN_PROJECT]->(p) SET d.project = p.name)
FOREACH (node IN $tags | MERGE (t:Tag {key: node.key}) ON CREATE SET t += node CREATE (d)-[:TAGGED]->(t))
FOREACH (node IN $patterns | MERGE (p:Pattern {key: node.key}) ON CREATE SET p += node CREATE (d)-[:FOLLOWS]->(p))
FOREACH (reason IN $reasons | CREATE (d)-[:BECAUSE {position: reason.position}]->(r:Reason) SET r = reason.properties)
