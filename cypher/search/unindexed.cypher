// The next $limit decisions whose vectors are to be made, in the order of the store, which is that of recording; of each text the first $cut characters.
MATCH (d:Unindexed) WHERE d:Decision AND d.uid IS NOT NULL
RETURN d.uid AS uid, coalesce(toString(d.updated_at), '') AS updated, left(d.decision, $cut) AS decision, left(d.context, $cut) AS context,
       left(d.terms, $cut) AS terms, left(d.structure, $cut) AS structure, left(d.function, $cut) AS function
LIMIT $limit
