// The decision that the agent with the key $agent recorded under the request key $key.
MATCH (a:Agent {key: $agent})
MATCH (d:Decision {agent: a.name, request_key: $key}) RETURN properties(d) AS decision
