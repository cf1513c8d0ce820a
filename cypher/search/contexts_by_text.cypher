// The $limit contexts that the Lucene query $query finds best, among its first $fetch, each as [uid, score]; those that an atlas has, and where $atlases is not null one of these.
CALL db.index.fulltext.queryNodes('context_text', $query, {limit: $fetch}) YIELD node AS c, score
WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE $atlases IS NULL OR a.atlas_id IN $atlases }
WITH c.uid AS uid, score ORDER BY score DESC, uid LIMIT $limit
RETURN collect([uid, score]) AS hits
