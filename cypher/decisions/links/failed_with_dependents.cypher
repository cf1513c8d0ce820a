// Returns failed and abandoned decisions on which others that neither failed nor were superseded still depend, newest first, before ($before, $before_uid), with at most $standing dependents. $limit. Only decisions that the caller may see.
UNWIND ['abandoned', 'failure'] AS outcome
CALL (outcome) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = outcome AND d.created_at <= $before AND d.uid >= ''
  WITH d ORDER BY d.outcome DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $before THEN d.uid < $before_uid ELSE true END AND NOT d:Retracted AND true /* visible: d:Decision */
    AND EXISTS {
      MATCH path = (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
      WHERE all(n IN nodes(path) WHERE true /* visible: n:Decision */) AND on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }
    }
  RETURN d LIMIT $limit
}
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $limit
CALL (d) {
  MATCH path = (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
  WHERE all(n IN nodes(path) WHERE true /* visible: n:Decision */) AND on <> d AND NOT on:Retracted AND NOT coalesce(on.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (on)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }
  WITH DISTINCT on LIMIT $standing
  RETURN collect(on) AS standing
}
RETURN d.uid AS uid, d.created_at AS at, [n IN [d] | n {.uid, .id, .category, .stakes, .status, .source_status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE true /* visible: o:Decision */ } END, out_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE true /* visible: o:Decision */ } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }}][0] AS node,
       [n IN standing | n {.uid, .id, .category, .stakes, .status, .source_status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE true /* visible: o:Decision */ } END, out_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE true /* visible: o:Decision */ } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }}] AS standing
