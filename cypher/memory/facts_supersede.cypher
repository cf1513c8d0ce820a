// Stores for $facts [{newer, older, at}] (uids) that newer supersedes older from the time at.
UNWIND $facts AS row
MATCH (n:Chunk {uid: row.newer})
MATCH (o:Chunk {uid: row.older})
MERGE (n)-[:SUPERSEDES]->(o)
SET o.superseded_at = row.at
