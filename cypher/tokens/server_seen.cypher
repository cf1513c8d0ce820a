// Stores that the server $uid answers callers with a rate limit, by their $keys. Servers without activity for an hour are deleted.
MERGE (s:SYS_Server {uid: $uid})
  ON CREATE SET s.schema_version = 1
SET s.keys = $keys, s.seen_at = datetime()
WITH s
MATCH (gone:SYS_Server) WHERE gone.seen_at < datetime() - duration('PT1H')
DELETE gone
