// Returns what is counted of each decision, including those of other servers.
MATCH (d:Decision|PeerDecision) WHERE d.counted_as IS NOT NULL
RETURN d.counted_as AS counted_as
