// The server $uid answers callers whose rate is limited, by their $keys. Servers that said nothing for an hour are forgotten.
MERGE (s:SYS_Server {uid: $uid})
  ON CREATE SET s.schema_version = 1
SET s.keys = $keys, s.seen_at = datetime()
WITH s
MATCH (gone:SYS_Server) WHERE gone.seen_at < datetime() - duration('PT1H')
DELETE gone
