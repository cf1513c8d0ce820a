// The uids of the next $limit decisions that are marked.
MATCH (d:Unremembered) WHERE d:Decision AND d.uid IS NOT NULL
RETURN d.uid AS uid LIMIT $limit
