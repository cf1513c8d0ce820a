// Failed and abandoned decisions that others, which neither failed nor were superseded, still stand on, newest first, before ($before, $before_uid); with at most $standing of those. $limit. Of all of them, those that $sight leaves.
UNWIND ['abandoned', 'failure'] AS outcome
CALL (outcome) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = outcome AND d.created_at <= $before AND d.uid >= ''
  WITH d ORDER BY d.outcome DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $before THEN d.uid < $before_uid ELSE true END AND NOT d:Retracted AND ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent))
    AND EXISTS {
      MATCH path = (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
      WHERE all(n IN nodes(path) WHERE ($sight IS NULL OR toLower(n.project) IN $sight.projects AND (n.visibility <> 'private' OR toLower(n.agent) = $sight.agent))) AND on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) }
    }
  RETURN d LIMIT $limit
}
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $limit
CALL (d) {
  MATCH path = (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
  WHERE all(n IN nodes(path) WHERE ($sight IS NULL OR toLower(n.project) IN $sight.projects AND (n.visibility <> 'private' OR toLower(n.agent) = $sight.agent))) AND on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) }
  WITH DISTINCT on LIMIT $standing
  RETURN collect(on) AS standing
}
RETURN d.uid AS uid, d.created_at AS at, [n IN [d] | n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN $sight IS NULL THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) } END, out_degree: CASE WHEN $sight IS NULL THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) }}][0] AS node,
       [n IN standing | n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN $sight IS NULL THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) } END, out_degree: CASE WHEN $sight IS NULL THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) }}] AS standing
