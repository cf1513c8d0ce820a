// Pairs of decisions that a link says contradict each other, both in force (neither superseded nor failed), newest link first: of the links of $uids, or where that is null, of the first $budget of all, those with an end that $category, $project and $agent (null: any) leave. $limit. Also how many such links there are; of both, those that the caller may see, which then is not said how many.
CALL () { MATCH ()-[r:CONTRADICTS]->() RETURN CASE WHEN true /* unrestricted */ THEN count(r) ELSE 0 END AS links }
CALL () {
  CALL () {
    WITH 1 AS all WHERE $uids IS NULL
    MATCH ()-[r:CONTRADICTS]->() RETURN r LIMIT $budget
  UNION
    UNWIND $uids AS uid
    MATCH (d:Decision {uid: uid})
    CALL (d) { MATCH (d)-[r:CONTRADICTS]-() RETURN r LIMIT 100 }
    RETURN r
  }
  WITH r, startNode(r) AS a, endNode(r) AS b
  WHERE a:Decision AND b:Decision
    AND any(d IN [a, b] WHERE ($category IS NULL OR d.category = $category) AND ($project IS NULL OR d.project = $project) AND ($agent IS NULL OR d.agent = $agent))
    AND all(d IN [a, b] WHERE true /* visible: d:Decision */ AND NOT d:Retracted AND NOT coalesce(d.outcome, '') IN ['failure', 'abandoned'] AND NOT EXISTS { (d)<-[:SUPERSEDES]-(later:Decision) WHERE true /* visible: later:Decision */ })
  WITH r, a, b ORDER BY r.created_at DESC LIMIT $limit
  RETURN collect({context: r.context, decisions: [d IN [a, b] | d {.uid, .id, .status, .outcome, .created_at, decision: left(ltrim(d.decision), 160)}]}) AS found
}
RETURN links, found
