// Makes a token of $agent {key, name, uid} with $properties, which ends after $seconds (null: never); nothing where that name has one in force. Gives when it was made and ends.
MERGE (a:Agent {key: $agent.key})
  ON CREATE SET a.name = $agent.name, a.uid = $agent.uid, a.schema_version = 1
SET a.held = true // nobody else makes a token of this name meanwhile
REMOVE a.held
WITH a WHERE NOT EXISTS { MATCH (a)<-[:OF]-(o:Token) WHERE o.revoked_at IS NULL AND coalesce(o.expires_at > datetime(), true) }
CREATE (t:Token)-[:OF]->(a)
SET t = $properties, t.created_at = datetime(),
    t.expires_at = CASE WHEN $seconds IS NOT NULL THEN datetime() + duration({seconds: $seconds}) END
RETURN t.created_at AS created_at, t.expires_at AS expires_at
