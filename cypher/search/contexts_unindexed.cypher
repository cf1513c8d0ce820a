// Returns the next $limit contexts without vectors of $model for their current content, with the first $cut characters of each text.
MATCH (c:Context)-[:CURRENT_VERSION]->(v:SYS_Version)
WHERE c.uid IS NOT NULL AND NOT EXISTS { (c)<-[:OF]-(:ContextEmbedding {model: $model, version: v.hash}) }
RETURN c.uid AS uid, v.hash AS updated, left(c.name, $cut) AS decision, left(c.content, $cut) AS context,
       left(reduce(words = '', word IN CASE WHEN c.keywords IS :: LIST<STRING NOT NULL> THEN c.keywords ELSE [] END | words + ' ' + word), $cut) AS terms
LIMIT $limit
