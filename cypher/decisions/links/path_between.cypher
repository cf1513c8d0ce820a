// Returns a shortest path of links of $types, in either direction, from the decision $source to $target. It uses automatic links only if $automatic, and only decisions that the caller may see. The maximum length is part of the text, because Cypher allows no parameter as a length.
MATCH (a:Decision {uid: $source})
MATCH (b:Decision {uid: $target})
MATCH p = shortestPath((a)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO*..15]-(b))
WHERE all(r IN relationships(p) WHERE type(r) IN $types AND ($automatic OR NOT coalesce(r.auto, false))) AND all(n IN nodes(p) WHERE true /* visible: n:Decision */)
RETURN [n IN nodes(p) | n {.uid, .id, .category, .stakes, .status, .source_status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, .project, .agent, decision: left(ltrim(n.decision), 160),
    in_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() } ELSE COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE true /* visible: o:Decision */ } END, out_degree: CASE WHEN true /* unrestricted */ THEN COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() } ELSE COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->(o) WHERE true /* visible: o:Decision */ } END, superseded: EXISTS { (n)<-[:SUPERSEDES]-(o) WHERE true /* visible: o:Decision */ }}] AS nodes,
       [r IN relationships(p) | r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid}] AS edges
