// The decision that $agent recorded under the request key $key.
MATCH (d:Decision {agent: $agent, request_key: $key}) RETURN properties(d) AS decision
