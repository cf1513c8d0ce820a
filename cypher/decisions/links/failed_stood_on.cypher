// Failed and abandoned decisions that others, which neither failed nor were superseded, still stand on, newest first, before ($before, $before_uid); with at most $standing of those. $limit.
UNWIND ['abandoned', 'failure'] AS outcome
CALL (outcome) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = outcome AND d.created_at <= $before AND d.uid >= ''
  WITH d ORDER BY d.outcome DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $before THEN d.uid < $before_uid ELSE true END AND NOT d:Retracted
    AND EXISTS {
      MATCH (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
      WHERE on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-() }
    }
  RETURN d LIMIT $limit
}
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $limit
CALL (d) {
  MATCH (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
  WHERE on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-() }
  WITH DISTINCT on LIMIT $standing
  RETURN collect(on) AS standing
}
RETURN d.uid AS uid, d.created_at AS at, [n IN [d] | n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, decision: left(ltrim(n.decision), 160),
    in_degree: COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }, out_degree: COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() }, superseded: EXISTS { (n)<-[:SUPERSEDES]-() }}][0] AS node,
       [n IN standing | n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, decision: left(ltrim(n.decision), 160),
    in_degree: COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }, out_degree: COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() }, superseded: EXISTS { (n)<-[:SUPERSEDES]-() }}] AS standing
