// Returns the decision that the agent with the key $agent recorded with the idempotency key $key.
MATCH (a:Agent {key: $agent})
MATCH (d:Decision {agent: a.name, request_key: $key}) RETURN properties(d) AS decision
