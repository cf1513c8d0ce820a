// Returns the links of the decisions with the uids $from, up to $steps (at most 3) away: outgoing ones of the types $outgoing, incoming ones of $incoming. Each step reads at most $links links and $limit decisions. A decision with more than $hub relationships is not read completely. Automatic links only if $automatic. Hidden decisions are neither traversed nor counted.
MATCH (c:Decision) WHERE c.uid IN $from AND true /* visible: c:Decision */
WITH collect(c) AS centers
CALL (centers) {
  UNWIND centers AS a
  WITH a, COUNT { (a)--() } AS degree ORDER BY degree
  WITH collect(CASE WHEN degree <= $hub THEN a END) AS usual, collect(CASE WHEN degree > $hub THEN a END) AS hubs
  CALL (usual, hubs) {
    UNWIND usual AS a
    MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(b:Decision)
    WHERE type(r) IN CASE WHEN startNode(r) = a THEN $outgoing ELSE $incoming END AND ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */
    RETURN r, b
    UNION ALL // hubs are read last, so that the others get their share of $links
    UNWIND hubs AS a
    CALL (a) {
      WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $outgoing MATCH (a)-[r:DEPENDS_ON]->(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $incoming MATCH (a)<-[r:DEPENDS_ON]-(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
    }
    RETURN r, b
  }
  WITH r, b LIMIT $links
  RETURN collect(r) AS first, collect(DISTINCT b) AS near
}
WITH *, CASE WHEN $steps > 1 THEN [n IN near[..$limit] WHERE NOT n IN centers] ELSE [] END AS next
CALL (next) {
  UNWIND next AS a
  WITH a, COUNT { (a)--() } AS degree ORDER BY degree
  WITH collect(CASE WHEN degree <= $hub THEN a END) AS usual, collect(CASE WHEN degree > $hub THEN a END) AS hubs
  CALL (usual, hubs) {
    UNWIND usual AS a
    MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(b:Decision)
    WHERE type(r) IN CASE WHEN startNode(r) = a THEN $outgoing ELSE $incoming END AND ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */
    RETURN r, b
    UNION ALL // hubs are read last, so that the others get their share of $links
    UNWIND hubs AS a
    CALL (a) {
      WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $outgoing MATCH (a)-[r:DEPENDS_ON]->(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $incoming MATCH (a)<-[r:DEPENDS_ON]-(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
    }
    RETURN r, b
  }
  WITH r, b LIMIT $links
  RETURN collect(r) AS second, collect(DISTINCT b) AS far
}
WITH *, CASE WHEN $steps > 2 THEN [n IN far[..$limit] WHERE NOT n IN centers AND NOT n IN next] ELSE [] END AS after
CALL (after) {
  UNWIND after AS a
  WITH a, COUNT { (a)--() } AS degree ORDER BY degree
  WITH collect(CASE WHEN degree <= $hub THEN a END) AS usual, collect(CASE WHEN degree > $hub THEN a END) AS hubs
  CALL (usual, hubs) {
    UNWIND usual AS a
    MATCH (a)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(b:Decision)
    WHERE type(r) IN CASE WHEN startNode(r) = a THEN $outgoing ELSE $incoming END AND ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */
    RETURN r, b
    UNION ALL // hubs are read last, so that the others get their share of $links
    UNWIND hubs AS a
    CALL (a) {
      WITH a WHERE size($outgoing) > 0 MATCH (a)-[r:SUPERSEDES|BLOCKS|CONTRADICTS]->(b:Decision) WHERE type(r) IN $outgoing AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $outgoing MATCH (a)-[r:DEPENDS_ON]->(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE size($incoming) > 0 MATCH (a)<-[r:SUPERSEDES|BLOCKS|CONTRADICTS]-(b:Decision) WHERE type(r) IN $incoming AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'DEPENDS_ON' IN $incoming MATCH (a)<-[r:DEPENDS_ON]-(b:Decision) WHERE true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $outgoing MATCH (a)-[r:RELATES_TO]->(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
      UNION ALL
      WITH a WHERE 'RELATES_TO' IN $incoming MATCH (a)<-[r:RELATES_TO]-(b:Decision) WHERE ($automatic OR NOT coalesce(r.auto, false)) AND true /* visible: b:Decision */ RETURN r, b LIMIT $links
    }
    RETURN r, b
  }
  WITH r, b LIMIT $links
  RETURN collect(r) AS third, collect(DISTINCT b) AS beyond
}
CALL (centers, near, far, beyond) {
  UNWIND centers + near[..$limit] + far[..$limit] + beyond[..$limit] AS n
  WITH DISTINCT n
  RETURN collect(n {.uid, .id, .category, .stakes, .status, .source_status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE true /* visible: o:Decision */ } END, out_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE true /* visible: o:Decision */ } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }}) AS nodes
}
CALL (first, second, third) {
  UNWIND first + second + third AS r
  WITH DISTINCT r
  RETURN collect(r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid}) AS edges
}
RETURN [c IN centers | c.uid] AS centers, nodes, edges,
       size(first) >= $links OR size(second) >= $links OR size(third) >= $links OR size(near) > $limit OR size(far) > $limit OR size(beyond) > $limit AS cut
