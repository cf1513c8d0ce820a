// Stores that the browser session whose id has $hash was signed out, for the remaining $seconds of its cookie. Expired entries are deleted.
MERGE (s:SignOut {hash: $hash})
  ON CREATE SET s.schema_version = 1
SET s.until = datetime() + duration({seconds: $seconds})
WITH s
MATCH (gone:SignOut) WHERE gone.until < datetime()
DELETE gone
