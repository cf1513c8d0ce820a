// Returns the strongest and then the newest links of the decision $uid: outgoing ones of the types $outgoing, incoming ones of $incoming. It examines the newest $scan links of each type and returns at most $limit that the caller may see. Automatic links only if $automatic.
MATCH (a:Decision {uid: $uid})
CALL (a) {
  CALL (a) {
    WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing AND true /* visible: b:Decision */ RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming AND true /* visible: b:Decision */ RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $scan
  }
  WITH r, b AS n ORDER BY coalesce(r.weight, 1.0) DESC, r.created_at DESC LIMIT $limit
  RETURN collect({edge: r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid},
    node: n {.uid, .id, .category, .stakes, .status, .source_status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE true /* visible: o:Decision */ } END, out_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE true /* visible: o:Decision */ } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }}}) AS found
}
WITH a, found,
     {SUPERSEDES: COUNT { (a)-[:SUPERSEDES]->() },
       DEPENDS_ON: COUNT { (a)-[:DEPENDS_ON]->() },
       BLOCKS: COUNT { (a)-[:BLOCKS]->() },
       CONTRADICTS: COUNT { (a)-[:CONTRADICTS]->() },
       RELATES_TO: CASE WHEN $automatic THEN COUNT { (a)-[:RELATES_TO]->() } ELSE COUNT { (a)-[r:RELATES_TO]->() WHERE NOT coalesce(r.auto, false) } END} AS forwards,
     {SUPERSEDES: COUNT { (a)<-[:SUPERSEDES]-() },
       DEPENDS_ON: COUNT { (a)<-[:DEPENDS_ON]-() },
       BLOCKS: COUNT { (a)<-[:BLOCKS]-() },
       CONTRADICTS: COUNT { (a)<-[:CONTRADICTS]-() },
       RELATES_TO: CASE WHEN $automatic THEN COUNT { (a)<-[:RELATES_TO]-() } ELSE COUNT { (a)<-[r:RELATES_TO]-() WHERE NOT coalesce(r.auto, false) } END} AS backwards
RETURN found, CASE WHEN true /* unrestricted */ THEN reduce(n = 0, type IN $outgoing | n + forwards[type]) + reduce(n = 0, type IN $incoming | n + backwards[type])
       ELSE COUNT { MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(b:Decision) WHERE type(r) IN CASE WHEN startNode(r) = a THEN $outgoing ELSE $incoming END AND ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ } END AS total
