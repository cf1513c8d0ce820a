// Returns pairs of decisions of one category that are very similar (score of their first passages at least $least) and not superseded. It examines the decisions $uids, or the $newest newest open ones with $category, $project and $agent (null: any). Each is compared with its $nearest neighbors in the vector index, or, if $among, with each other. Also returns the number of examined decisions, and how many of them have no vectors. Only decisions that the caller may see.
CALL () {
  MATCH (d:Decision) WHERE d.uid IN $uids RETURN d
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = 'pending' AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.status DESC, d.created_at DESC, d.uid DESC LIMIT $budget
  WHERE ($category IS NULL OR d.category = $category) AND ($project IS NULL OR d.project = $project) AND ($agent IS NULL OR d.agent = $agent)
  RETURN d LIMIT $newest
  UNION
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $project AND d.created_at >= $earliest AND d.uid >= ''
  WITH d ORDER BY d.project DESC, d.created_at DESC, d.uid DESC LIMIT $budget
  WHERE d.status = 'pending' AND ($category IS NULL OR d.category = $category) AND ($agent IS NULL OR d.agent = $agent)
  RETURN d LIMIT $newest
}
WITH d WHERE true /* visible: d:Decision */
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $newest + size($uids)
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
OPTIONAL MATCH (d)<-[:OF]-(e:Embedding) WHERE e.model = i.model AND e.text IS NOT NULL AND NOT e:LaterPassage
WITH collect({d: d, e: e, text: e.text}) AS looked // read each vector once, not once per pair
CALL (looked) {
  UNWIND range(0, size(looked) - 1) AS place
  WITH looked[place].d AS d, looked[place].e AS e, looked[place].text AS text, looked[place + 1..] AS later
  WHERE e IS NOT NULL AND NOT d:Retracted AND NOT EXISTS { (d)<-[:SUPERSEDES]-(newer:Decision) WHERE true /* visible: newer:Decision */ }
  CALL (text, later) {
    WITH text WHERE NOT $among
    CALL db.index.vector.queryNodes('embedding_text', $nearest, text) YIELD node AS f, score
    RETURN f, score
    UNION ALL
    UNWIND CASE WHEN $among THEN later ELSE [] END AS other
    RETURN other.e AS f, vector.similarity.cosine(text, other.text) AS score
  }
  WITH d, e, f, score WHERE score >= $least AND f <> e AND f.model = e.model AND NOT f:LaterPassage
  MATCH (f)-[:OF]->(o:Decision)
  WHERE NOT o:Retracted AND true /* visible: o:Decision */ AND o.category = d.category AND NOT EXISTS { (o)<-[:SUPERSEDES]-(newer:Decision) WHERE true /* visible: newer:Decision */ }
  RETURN collect({score: score, same_text: toLower(trim(d.decision)) = toLower(trim(o.decision)),
    linked: EXISTS { (d)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) },
    said: EXISTS { MATCH (d)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE NOT coalesce(r.auto, false) },
    decisions: [n IN [d, o] | n {.uid, .id, .status, .outcome, .created_at, .project, decision: left(ltrim(n.decision), 160)}]}) AS found
}
RETURN size(looked) AS looked, size([one IN looked WHERE one.e IS NULL]) AS without, found
