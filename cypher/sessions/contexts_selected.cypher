// Returns contexts of the atlases $atlases (null: any) that the caller may see. It selects those among $uids; those always given, if $always; those for the risk $risk; and those that $hints (in lower case; $ids as written) name by id, name or keyword among the 500 best full-text matches of $words. It adds those for actions, if $action is not null, and the contexts that these include. Votes are weighted by age (half after 90 days), one per agent for all needs.
CALL () {
  UNWIND $uids AS uid MATCH (c:Context {uid: uid}) RETURN c, 'found' AS by
  UNION
  UNWIND CASE WHEN $always THEN [1] ELSE [] END AS wanted // skip the search if not requested
  MATCH (c:Context {inject_mode: 'always'}) RETURN c, 'always' AS by
  UNION
  UNWIND CASE WHEN $risk IS NOT NULL THEN [1] ELSE [] END AS wanted
  MATCH (c:Context {inject_mode: 'risk_based'}) WHERE $risk IN c.risk_tiers RETURN c, 'risk' AS by
  UNION
  UNWIND CASE WHEN $words <> '' THEN [1] ELSE [] END AS wanted
  CALL db.index.fulltext.queryNodes('context_text', $words, {limit: 500}) YIELD node AS c
  WHERE toLower(c.name) IN $hints OR any(word IN coalesce(c.keywords, []) WHERE toLower(word) IN $hints) RETURN c, 'hint' AS by
  UNION
  UNWIND $ids + $hints AS id MATCH (c:Context {context_id: id}) RETURN c, 'hint' AS by
  UNION
  UNWIND CASE WHEN $action IS NOT NULL THEN [1] ELSE [] END AS wanted
  MATCH (c:Context) WHERE c.inject_when IS NOT NULL RETURN c, 'action' AS by
}
WITH c, collect(by) AS by
MATCH (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE ($atlases IS NULL OR a.atlas_id IN $atlases) AND true /* visible: a:Atlas */
WITH collect({c: c, by: by, atlas: a.atlas_id}) AS chosen
CALL (chosen) {
  UNWIND chosen AS row RETURN row.c AS c, row.by AS by, row.atlas AS atlas
  UNION ALL
  UNWIND chosen AS row
  UNWIND coalesce(row.c.also_inject, []) AS id
  MATCH (a:Atlas)-[:HAS_CONTEXT]->(c:Context {context_id: id}) WHERE NOT c IN [other IN chosen | other.c] AND true /* visible: a:Atlas */
  RETURN DISTINCT c, ['also'] AS by, a.atlas_id AS atlas
}
CALL (c) {
  MATCH (f:Feedback)-[:ABOUT]->(c)
  WITH f.agent AS agent, f.helpful AS helpful, 0.5 ^ (duration.inSeconds(f.at, datetime()).seconds / (90.0 * 86400)) AS weight
  WITH agent, sum(CASE WHEN helpful THEN weight ELSE 0.0 END) / sum(weight) AS helpful, max(weight) AS weight
  RETURN [sum(helpful * weight), sum(weight)] AS voices
}
RETURN c.uid AS uid, c.context_id AS context_id, c.name AS name, c.priority AS priority, c.content AS content, c.inject_mode AS inject_mode, coalesce(c.keywords, []) AS keywords,
       coalesce(c.also_inject, []) AS also_inject, coalesce(c.inject_when, []) AS inject_when, coalesce(c.risk_tiers, []) AS risk_tiers, atlas, by,
       [(c)-[:CURRENT_VERSION]->(v) | v.hash][0] AS version, voices
