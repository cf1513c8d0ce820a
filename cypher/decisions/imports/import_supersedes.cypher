// Returns all SUPERSEDES links on paths from the decisions with $uids.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})-[:SUPERSEDES*0..]->(from:Decision)
WITH DISTINCT from
MATCH (from)-[:SUPERSEDES]->(to:Decision)
RETURN from.uid AS from, to.uid AS to
