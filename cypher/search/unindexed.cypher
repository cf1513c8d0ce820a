// Returns the next $limit decisions that need vectors, in storage order, which is the order of recording, with the first $cut characters of each text.
MATCH (d:Unindexed) WHERE d:Decision AND d.uid IS NOT NULL
RETURN d.uid AS uid, coalesce(toString(d.updated_at), '') AS updated, left(d.decision, $cut) AS decision, left(d.context, $cut) AS context,
       left(d.terms, $cut) AS terms, left(d.structure, $cut) AS structure, left(d.function, $cut) AS function
LIMIT $limit
