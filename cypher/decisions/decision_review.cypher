// Appends $review to the locked decision $uid, in the place of the one that was in force, and gives the decision its new $properties.
MATCH (d:Decision {uid: $uid})
SET d:Unindexed:Uncounted, d += $properties, d.reviewed_at = datetime(), d.updated_at = datetime()
WITH d
CALL (d) { MATCH (d)-[:HAS_REVIEW]->(before:Review {in_force: true}) SET before.in_force = false }
CREATE (d)-[:HAS_REVIEW]->(r:Review)
SET r = $review, r.confidence = d.confidence, r.at = datetime()
RETURN r.at AS at
