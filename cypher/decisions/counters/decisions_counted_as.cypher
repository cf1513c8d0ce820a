// What is counted of each decision, those of other servers too, as far as anything is.
MATCH (d:Decision|PeerDecision) WHERE d.counted_as IS NOT NULL
RETURN d.counted_as AS counted_as
