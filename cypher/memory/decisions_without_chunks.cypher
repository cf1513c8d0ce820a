// Returns the uids of the next $limit marked decisions.
MATCH (d:Unremembered) WHERE d:Decision AND d.uid IS NOT NULL
RETURN d.uid AS uid LIMIT $limit
