// Returns decisions on which others depend, the most salient first, at most $limit, each with its links except automatic ones. Above $read links per decision, link types are estimated from those that were read. Candidates are linked from the newest $newest decisions within two steps; the $candidates with the most links are scored. $category, $project: null for any. Also returns the numbers of examined and of existing decisions.
CALL () { MATCH (d:Decision) RETURN count(d) AS total }
CALL () {
  CALL () {
    MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
    WHERE d.created_at >= $earliest AND d.uid >= ''
    WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT CASE WHEN $project IS NULL THEN $newest ELSE 0 END
    RETURN d
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
    WHERE d.project = $project AND d.created_at >= $earliest AND d.uid >= ''
    WITH d ORDER BY d.project DESC, d.created_at DESC, d.uid DESC LIMIT $newest
    RETURN d
  }
  RETURN collect(d) AS looked
}
CALL (looked) {
  CALL (looked) {
    UNWIND looked AS d
    MATCH (d)-[r:DEPENDS_ON|BLOCKS|SUPERSEDES|RELATES_TO]->(c:Decision) WHERE NOT coalesce(r.auto, false)
    WITH c LIMIT $links
    RETURN DISTINCT c
  }
  CALL (c) {
    RETURN c AS n
    UNION
    MATCH (c)-[:DEPENDS_ON*1..2]->(n:Decision) RETURN n LIMIT 20
  }
  WITH DISTINCT n
  WHERE NOT n:Retracted AND ($category IS NULL OR n.category = $category) AND ($project IS NULL OR n.project = $project)
  CALL (n) { MATCH (n)<-[:DEPENDS_ON]-(o:Decision) WITH o LIMIT 50 RETURN sum(COUNT { (o)<-[:DEPENDS_ON]-() }) AS beyond }
  WITH n, beyond, {depends_on: COUNT { (n)<-[:DEPENDS_ON]-() }, blocks: COUNT { (n)<-[:BLOCKS]-() }, supersedes: COUNT { (n)<-[:SUPERSEDES]-() }, relates_to: COUNT { (n)<-[:RELATES_TO]-() }} AS links
  ORDER BY links.depends_on + beyond + links.blocks + 0.5 * links.supersedes + 0.25 * links.relates_to DESC, n.uid LIMIT $candidates
  CALL (n) {
    MATCH (n)<-[:DEPENDS_ON*1..3]-(o:Decision) WHERE o <> n
    WITH o LIMIT $paths
    RETURN count(DISTINCT o) AS standing, count(o) AS paths
  }
  CALL (n) {
    MATCH (n)<-[r:DEPENDS_ON|BLOCKS|SUPERSEDES|RELATES_TO]-(:Decision)
    WITH r, CASE WHEN coalesce(r.auto, false) THEN 1.0 ELSE 0.0 END AS auto LIMIT $read
    RETURN sum(coalesce(r.weight, 1.0) * (1.0 - auto) * CASE type(r) WHEN 'RELATES_TO' THEN 0.25 WHEN 'SUPERSEDES' THEN 0.5 ELSE 1.0 END) AS weight, count(r) AS read,
      sum(auto) / CASE count(r) WHEN 0 THEN 1 ELSE count(r) END AS automatic
  }
  WITH n, links, standing, paths, weight, read, automatic, toFloat(links.depends_on + links.blocks + links.supersedes + links.relates_to) AS all
  WITH n, links {.*, relates_to: CASE WHEN all * automatic < links.relates_to THEN links.relates_to - toInteger(round(all * automatic)) ELSE 0 END} AS links, standing, paths,
       weight * all / CASE read WHEN 0 THEN 1 ELSE read END AS weight
  ORDER BY standing + weight DESC, n.created_at DESC, n.uid LIMIT $limit
  RETURN collect({score: standing + weight, standing: standing, cut: paths = $paths, links: links,
    decision: n {.uid, .id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern, decision: left(ltrim(n.decision), 160)}}) AS found
}
RETURN total, size(looked) AS looked, found
