// Returns the $limit best contexts for the Lucene query $query among its first $fetch hits, each as [uid, score], of atlases that the caller may see and that are in $atlases (null: any). Also returns the content of the first $read and of the contexts they include, like contexts_meant, and the number of all passages.
CALL db.index.fulltext.queryNodes('context_text', $query, {limit: $fetch}) YIELD node AS c, score
WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE ($atlases IS NULL OR a.atlas_id IN $atlases) AND true /* visible: a:Atlas */ }
WITH c, score ORDER BY score DESC, c.uid LIMIT $limit
WITH collect(c) AS found, collect([c.uid, score]) AS hits
CALL (found) {
  UNWIND found[..$read] AS one
  CALL (one) {
    RETURN one AS c
    UNION ALL
    UNWIND coalesce(one.also_inject, []) AS id
    MATCH (c:Context {context_id: id}) RETURN c
  }
  WITH DISTINCT c
  MATCH (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE true /* visible: a:Atlas */
  CALL (c) {
    MATCH (f:Feedback)-[:ABOUT]->(c)
    WITH f.agent AS agent, f.helpful AS helpful, 0.5 ^ (duration.inSeconds(f.at, datetime()).seconds / (90.0 * 86400)) AS weight
    WITH agent, sum(CASE WHEN helpful THEN weight ELSE 0.0 END) / sum(weight) AS helpful, max(weight) AS weight
    RETURN [sum(helpful * weight), sum(weight)] AS voices
  }
  RETURN collect({uid: c.uid, context_id: c.context_id, name: c.name, priority: c.priority, content: c.content, inject_mode: c.inject_mode, keywords: coalesce(c.keywords, []), also_inject: coalesce(c.also_inject, []),
    atlas: a.atlas_id, version: [(c)-[:CURRENT_VERSION]->(v) | v.hash][0], voices: voices}) AS read
}
CALL () { MATCH (e:ContextEmbedding) RETURN count(e) AS passages }
RETURN hits, read, passages
