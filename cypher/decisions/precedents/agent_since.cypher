// Returns the time of the first decision of the agent with the key $agent, spelled $name; no row if there is none.
OPTIONAL MATCH (a:Agent {key: $agent})
WITH coalesce(a.name, $name) AS agent
CALL (agent) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = agent AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.agent, d.created_at, d.uid
  WHERE NOT d:Retracted
  RETURN d.created_at AS at LIMIT 1
}
RETURN at
