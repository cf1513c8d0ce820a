// Returns the decisions $uids as lists show them, with the first 400 characters of their text, their reasons, the current review, and what superseded them. With $links it includes the strongest $limit links in each direction, except automatic ones. The first $whole also have their whole text and context.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]})
OPTIONAL MATCH (d)-[:HAS_REVIEW]->(review:Review {in_force: true})
CALL (d) {
  WITH d WHERE $links
  MATCH (d)-[l:RELATES_TO|SUPERSEDES|DEPENDS_ON|CONTRADICTS|BLOCKS]-(o:Decision) WHERE NOT o:Retracted AND NOT coalesce(l.auto, false) AND true /* visible: o:Decision */
  WITH d, l, o LIMIT 200
  WITH d, l, o ORDER BY l.weight DESC, l.created_at DESC, o.uid LIMIT $limit
  RETURN collect({decision: o {.uid, .id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern,
    .source_status, .external_id, decision: left(o.decision, 400)}, type: type(l), outgoing: startNode(l) = d, weight: coalesce(l.weight, 1.0)}) AS links
}
RETURN position,
       d {.id, .category, .confidence, .stakes, .status, .outcome, .created_at, .project, .agent, .tags, .pattern, .source_status, .external_id,
          .bridge_method, .structure, .function, .tolerance, .enforcement, .prevention, decision: left(d.decision, 400)} AS decision,
       COLLECT { MATCH (d)-[because:BECAUSE]->(r:Reason) RETURN r {.type, .text, .strength} ORDER BY because.position } AS reasons,
       coalesce(review.actual_result, '') AS actual_result, coalesce(review.lessons, '') AS lessons,
       COLLECT { MATCH (d)<-[:SUPERSEDES]-(o:Decision) WHERE NOT o:Retracted AND true /* visible: o:Decision */ RETURN o.id LIMIT 10 } AS superseded_by,
       links, CASE WHEN position < $whole THEN d {.decision, .context} END AS whole
ORDER BY position
