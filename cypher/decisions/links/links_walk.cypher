// The links of the decision $id, or of those with the uids $from, and for $steps = 2 those of the next decisions too: forwards by types $outgoing, backwards by $incoming, a step at most $links links and $limit decisions.
CALL () {
  MATCH (c:Decision {id: $id}) WHERE NOT EXISTS { MATCH (other:Decision {external_id: $id}) WHERE other <> c } RETURN c
  UNION
  MATCH (c:Decision) WHERE c.uid IN $from RETURN c
}
WITH collect(c) AS centers
CALL (centers) {
  UNWIND centers AS a
  WITH a ORDER BY COUNT { (a)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } // so that a hub comes last, and leaves the others their share of $links
  CALL (a) {
    WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'DEPENDS_ON' IN $outgoing MATCH (a)-[r:DEPENDS_ON]->(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'DEPENDS_ON' IN $incoming MATCH (a)<-[r:DEPENDS_ON]-(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) RETURN r, b LIMIT $links
  }
  WITH r, b LIMIT $links
  RETURN collect(r) AS near, collect(DISTINCT b) AS reached
}
CALL (centers, reached) {
  UNWIND CASE WHEN $steps > 1 THEN reached[..$limit] ELSE [] END AS a
  WITH a WHERE NOT a IN centers
  WITH a ORDER BY COUNT { (a)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }
  CALL (a) {
    WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'DEPENDS_ON' IN $outgoing MATCH (a)-[r:DEPENDS_ON]->(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'DEPENDS_ON' IN $incoming MATCH (a)<-[r:DEPENDS_ON]-(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) RETURN r, b LIMIT $links
    UNION ALL
    WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) RETURN r, b LIMIT $links
  }
  WITH r, b LIMIT $links
  RETURN collect(r) AS far, collect(DISTINCT b) AS beyond
}
CALL (centers, reached, beyond) {
  UNWIND centers + reached[..$limit] + beyond[..$limit] AS n
  WITH DISTINCT n
  RETURN collect(n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, decision: left(ltrim(n.decision), 160),
    in_degree: COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }, out_degree: COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() }, superseded: EXISTS { (n)<-[:SUPERSEDES]-() }}) AS nodes
}
CALL (near, far) {
  UNWIND near + far AS r
  WITH DISTINCT r
  RETURN collect(r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid}) AS edges
}
RETURN [c IN centers | c.uid] AS centers, nodes, edges,
       size(near) >= $links OR size(far) >= $links OR size(reached) > $limit OR size(beyond) > $limit AS cut
