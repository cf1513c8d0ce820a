// Adds $review to the locked decision $uid, replacing the one in force, and sets the decision's new $properties.
MATCH (d:Decision {uid: $uid})
SET d:Unindexed:Uncounted:Unremembered, d += $properties, d.reviewed_at = datetime(), d.updated_at = datetime()
WITH d
CALL (d) { MATCH (d)-[:HAS_REVIEW]->(before:Review {in_force: true}) SET before.in_force = false }
CREATE (d)-[:HAS_REVIEW]->(r:Review)
SET r = $review, r.confidence = d.confidence, r.at = datetime()
RETURN r.at AS at
