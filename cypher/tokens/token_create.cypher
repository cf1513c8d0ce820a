// Creates a token of $agent {key, name, uid} with $properties that expires after $seconds (null: never). Returns its creation and expiry times.
MERGE (a:Agent {key: $agent.key})
  ON CREATE SET a.name = $agent.name, a.uid = $agent.uid, a.schema_version = 1
CREATE (t:Token)-[:OF]->(a)
SET t = $properties, t.created_at = datetime(),
    t.expires_at = CASE WHEN $seconds IS NOT NULL THEN datetime() + duration({seconds: $seconds}) END
RETURN t.created_at AS created_at, t.expires_at AS expires_at
