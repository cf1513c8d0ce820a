// Adds $reviews [{uid, review, properties}] to locked decisions, each replacing the one in force, and sets the decisions' new properties.
UNWIND $reviews AS row
MATCH (d:Decision {uid: row.uid})
SET d:Unindexed:Uncounted:Unremembered, d += row.properties, d.reviewed_at = datetime(), d.updated_at = datetime()
WITH d, row
CALL (d) { MATCH (d)-[:HAS_REVIEW]->(before:Review {in_force: true}) SET before.in_force = false }
CREATE (d)-[:HAS_REVIEW]->(r:Review)
SET r = row.review, r.confidence = d.confidence, r.at = datetime()
RETURN row.uid AS uid, r.at AS at
