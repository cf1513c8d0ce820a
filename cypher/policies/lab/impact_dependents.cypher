// Returns decisions that depend directly on the decisions $ids, or on ones that these superseded, oldest first. At most $limit that the caller may see.
MATCH (d:Decision) WHERE d.id IN $ids AND true /* visible: d:Decision */
CALL (d) {
  MATCH path = (d)-[:SUPERSEDES*0..3]->()<-[:DEPENDS_ON]-(on:Decision)
  WHERE all(n IN nodes(path) WHERE true /* visible: n:Decision */) AND on <> d AND NOT on:Retracted
  RETURN DISTINCT on ORDER BY on.created_at, on.uid LIMIT $limit
}
WITH on, min(d.id) AS via ORDER BY on.created_at, on.uid LIMIT $limit
RETURN on.id AS id, via, on.outcome AS outcome, on.stakes AS stakes, on.agent AS agent_id, left(ltrim(on.decision), 160) AS decision
