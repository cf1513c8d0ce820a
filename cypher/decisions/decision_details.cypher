// Returns the decisions identified by $ref ($id in lower case) with related nodes that the caller may see, at most $most of each kind; with revisions if $history.
CALL () {
  MATCH (d:Decision {id: $id}) RETURN d
  UNION
  MATCH (d:Decision {uid: $ref}) RETURN d
  UNION
  MATCH (d:Decision {external_id: $ref}) WHERE true /* visible: d:Decision */ RETURN d LIMIT 2
}
WITH d WHERE true /* visible: d:Decision */
RETURN properties(d) AS decision,
  COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
  COLLECT { MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN properties(r) ORDER BY r.number DESC LIMIT $most } AS reviews,
  CASE WHEN $history THEN COLLECT { MATCH (d)-[:HAS_REVISION]->(r:Revision) RETURN properties(r) ORDER BY r.number DESC LIMIT $most } END AS revisions,
  COLLECT {
    MATCH (d)-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-(o:Decision) WHERE NOT coalesce(l.auto, false) AND true /* visible: o:Decision */
    RETURN {id: o.id, title: left(o.decision, 400), type: toLower(type(l)), outgoing: startNode(l) = d, weight: l.weight, context: l.context, outcome: o.outcome, retracted: o:Retracted,
      superseded: CASE WHEN true /* unrestricted */ THEN COUNT { (o)<-[:SUPERSEDES]-() } > 0 ELSE EXISTS { (o)<-[:SUPERSEDES]-(newer) WHERE true /* visible: newer:Decision */ } END} LIMIT $most
  } AS links,
  COLLECT { MATCH (d)-[by:DELIBERATED_BY]->(e:TraceEvent) RETURN {type: CASE WHEN e.type IS :: STRING THEN e.type END, at: CASE WHEN e.at IS :: ZONED DATETIME THEN e.at END, payload: CASE WHEN e.payload IS :: STRING THEN e.payload END} ORDER BY by.position LIMIT $most } AS events,
  COLLECT { MATCH (d)<-[:JUDGED]-(v:Verdict) RETURN v {.uid, .allowed, .at, .forced} LIMIT $most } AS verdicts,
  CASE WHEN true /* unrestricted */ THEN COLLECT { MATCH (d)-[:DELIBERATED_BY]->(:TraceEvent)<-[:RECORDED]-(s:Session) WHERE s.id IS :: STRING RETURN DISTINCT s.id LIMIT 5 } ELSE [] END AS sessions
