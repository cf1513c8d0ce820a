// The next $limit chunks of memory whose vectors are to be made, in the order of the store; of each text the first $cut characters.
MATCH (c:UnindexedChunk) WHERE c.uid IS NOT NULL
RETURN c.uid AS uid, c.hash AS updated, '' AS decision, left(coalesce(c.text, ''), $cut) AS context, '' AS terms
LIMIT $limit
