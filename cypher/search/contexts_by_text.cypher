// Returns the $limit best contexts for the Lucene query $query among its first $fetch hits, each as [uid, score], of atlases that the caller may see and that are in $atlases (null: any). Also returns their names, keywords and contents, and the number of all passages.
CALL db.index.fulltext.queryNodes('context_text', $query, {limit: $fetch}) YIELD node AS c, score
WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE ($atlases IS NULL OR a.atlas_id IN $atlases) AND true /* visible: a:Atlas */ }
WITH c, score ORDER BY score DESC, c.uid LIMIT $limit
WITH collect(c) AS found, collect([c.uid, score]) AS hits
CALL () { MATCH (e:ContextEmbedding) RETURN count(e) AS passages }
RETURN hits, [c IN found | c {.uid, .name, .keywords, .content}] AS read, passages
