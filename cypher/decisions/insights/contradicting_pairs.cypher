// Returns pairs of decisions with a link of type contradicts, both in force (neither superseded nor failed), newest link first. It examines the links of $uids. If that is empty, it examines the first $links links with an end that matches $category, $project and $agent (null: any). $limit. Also returns the number of such links, unless the caller may see only some decisions.
CALL () { MATCH ()-[r:CONTRADICTS]->() RETURN CASE WHEN true /* unrestricted */ THEN count(r) ELSE 0 END AS links }
CALL () {
  CALL () {
    WITH 1 AS all WHERE size($uids) = 0
    MATCH ()-[r:CONTRADICTS]->() RETURN r LIMIT $links
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
