// Stores for $facts [{newer, older, at}] (uids) that the newer one supersedes the older one from then on.
UNWIND $facts AS row
MATCH (n:Chunk {uid: row.newer})
MATCH (o:Chunk {uid: row.older})
MERGE (n)-[:SUPERSEDES]->(o)
SET o.superseded_at = row.at
