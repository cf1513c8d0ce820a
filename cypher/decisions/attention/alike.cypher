// Pairs of decisions of one category that are very similar (score at least $least, of their texts' first passages) and both not superseded: of the decisions $uids, or of the newest $newest open ones that $category, $project and $agent (null: any) leave, each with the $nearest that the vector index gives, or, where $among, with one another. Also how many were looked at, and how many of these have no vectors. Of all of them, those that $sight leaves.
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
WITH d WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent))
WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $newest + size($uids)
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
OPTIONAL MATCH (d)<-[:OF]-(e:Embedding) WHERE e.model = i.model AND e.text IS NOT NULL AND NOT e:LaterPassage
WITH collect({d: d, e: e, text: e.text}) AS looked // a vector is read once, not once a pair
CALL (looked) {
  UNWIND looked AS one
  WITH one.d AS d, one.e AS e, one.text AS text, looked
  WHERE e IS NOT NULL AND NOT d:Retracted AND NOT EXISTS { (d)<-[:SUPERSEDES]-(later:Decision) WHERE ($sight IS NULL OR toLower(later.project) IN $sight.projects AND (later.visibility <> 'private' OR toLower(later.agent) = $sight.agent)) }
  CALL (text, looked) {
    WITH text WHERE NOT $among
    CALL db.index.vector.queryNodes('embedding_text', $nearest, text) YIELD node AS f, score
    RETURN f, score
    UNION ALL
    UNWIND CASE WHEN $among THEN looked ELSE [] END AS other
    RETURN other.e AS f, vector.similarity.cosine(text, other.text) AS score
  }
  WITH d, e, f, score WHERE score >= $least AND f <> e AND f.model = e.model AND NOT f:LaterPassage
  MATCH (f)-[:OF]->(o:Decision)
  WHERE NOT o:Retracted AND ($sight IS NULL OR toLower(o.project) IN $sight.projects AND (o.visibility <> 'private' OR toLower(o.agent) = $sight.agent)) AND o.category = d.category AND NOT EXISTS { (o)<-[:SUPERSEDES]-(later:Decision) WHERE ($sight IS NULL OR toLower(later.project) IN $sight.projects AND (later.visibility <> 'private' OR toLower(later.agent) = $sight.agent)) }
  RETURN collect({score: score, same_text: toLower(trim(d.decision)) = toLower(trim(o.decision)),
    linked: EXISTS { (d)-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) },
    said: EXISTS { MATCH (d)-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-(o) WHERE NOT coalesce(r.auto, false) },
    decisions: [n IN [d, o] | n {.uid, .id, .status, .outcome, .created_at, .project, decision: left(ltrim(n.decision), 160)}]}) AS found
}
RETURN size(looked) AS looked, size([one IN looked WHERE one.e IS NULL]) AS without, found
