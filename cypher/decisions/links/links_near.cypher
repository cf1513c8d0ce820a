// The strongest links of the decision $uid, and then the newest: forwards by types $outgoing, backwards by $incoming. Of each kind $scan links are looked at, the newest ones; at most $limit.
MATCH (a:Decision {uid: $uid})
CALL (a) {
  CALL (a) {
    WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) RETURN r, b LIMIT $scan
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) RETURN r, b LIMIT $scan
  }
  WITH r, b AS n ORDER BY coalesce(r.weight, 1.0) DESC, r.created_at DESC LIMIT $limit
  RETURN collect({edge: r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid},
    node: n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, decision: left(ltrim(n.decision), 160),
    in_degree: COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }, out_degree: COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() }, superseded: EXISTS { (n)<-[:SUPERSEDES]-() }}}) AS found
}
WITH found,
     {SUPERSEDES: COUNT { (a)-[:SUPERSEDES]->() },
       DEPENDS_ON: COUNT { (a)-[:DEPENDS_ON]->() },
       BLOCKS: COUNT { (a)-[:BLOCKS]->() },
       CONTRADICTS: COUNT { (a)-[:CONTRADICTS]->() },
       RELATES_TO: COUNT { (a)-[:RELATES_TO]->() }} AS forwards,
     {SUPERSEDES: COUNT { (a)<-[:SUPERSEDES]-() },
       DEPENDS_ON: COUNT { (a)<-[:DEPENDS_ON]-() },
       BLOCKS: COUNT { (a)<-[:BLOCKS]-() },
       CONTRADICTS: COUNT { (a)<-[:CONTRADICTS]-() },
       RELATES_TO: COUNT { (a)<-[:RELATES_TO]-() }} AS backwards
RETURN found, reduce(n = 0, type IN $outgoing | n + forwards[type]) + reduce(n = 0, type IN $incoming | n + backwards[type]) AS total
