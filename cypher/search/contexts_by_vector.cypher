// Returns the $limit contexts nearest to $vector, each as [uid, score] by its best passage, among the $fetch passages that the vector index $index finds, made by $model, of atlases that the caller may see and that are in $atlases (null: any). Also returns the content of the first $read and of the contexts they include, like contexts_meant, and the numbers of passages and of matching contexts.
CALL () { MATCH (e:ContextEmbedding) RETURN count(e) AS all }
CALL () {
  CALL db.index.vector.queryNodes($index, $fetch, $vector) YIELD node AS e, score
  WHERE e.model = $model
  MATCH (e)-[:OF]->(c:Context)
  WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE ($atlases IS NULL OR a.atlas_id IN $atlases) AND true /* visible: a:Atlas */ }
  WITH c, max(score) AS score
  WITH c, score ORDER BY score DESC, c.uid
  RETURN collect(c) AS near, collect([c.uid, score]) AS passed
}
WITH all, passed, near[..$limit] AS found
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
RETURN CASE WHEN all > 0 THEN $model END AS model, size($vector) AS dimensions, all AS found, size(passed) AS passed, passed[..$limit] AS hits, read
