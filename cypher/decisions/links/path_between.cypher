// A shortest path of links of $types, in either direction, from the decision $source to $target. The longest length stands in the text, where a parameter cannot.
MATCH (a:Decision {uid: $source})
MATCH (b:Decision {uid: $target})
MATCH p = shortestPath((a)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO*..15]-(b))
WHERE all(r IN relationships(p) WHERE type(r) IN $types)
RETURN [n IN nodes(p) | n {.uid, .id, .category, .stakes, .status, .outcome, .confidence, .created_at, .retracted_at, .tags, .pattern, decision: left(ltrim(n.decision), 160),
    in_degree: COUNT { (n)<-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-() }, out_degree: COUNT { (n)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]->() }, superseded: EXISTS { (n)<-[:SUPERSEDES]-() }}] AS nodes,
       [r IN relationships(p) | r {.weight, .created_at, .created_by, .context, .auto, type: type(r), source: startNode(r).uid, target: endNode(r).uid}] AS edges
