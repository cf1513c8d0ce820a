// Returns the next $limit chunks of memory that need vectors, in storage order, with the first $cut characters of each text.
MATCH (c:UnindexedChunk) WHERE c.uid IS NOT NULL
RETURN c.uid AS uid, c.hash AS updated, '' AS decision, left(coalesce(c.text, ''), $cut) AS context, '' AS terms
LIMIT $limit
