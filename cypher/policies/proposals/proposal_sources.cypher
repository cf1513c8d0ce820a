// Returns the decisions, verdicts and reviews with the ids $ids. A decision is also found by the beginning of its id.
UNWIND $ids AS id
CALL (id) {
  MATCH (d:Decision) WHERE size(id) >= 4 AND d.id STARTS WITH toLower(id) AND true /* visible: d:Decision */ RETURN elementId(d) AS node LIMIT 2
  UNION
  MATCH (d:Decision {uid: id}) WHERE true /* visible: d:Decision */ RETURN elementId(d) AS node
  UNION
  MATCH (v:Verdict {uid: id}) WHERE true /* visible: v:Verdict */ RETURN elementId(v) AS node
  UNION
  MATCH (of:Decision)-[:HAS_REVIEW]->(r:Review {uid: id}) WHERE true /* visible: of:Decision */ RETURN elementId(r) AS node
}
RETURN id, node
