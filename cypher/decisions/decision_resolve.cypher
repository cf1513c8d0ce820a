// The decisions that $ref ($id in lower case) or, where it is not empty, $prefix may mean: exact ones, and a few that begin so.
CALL () {
  MATCH (d:Decision {id: $id}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {uid: $ref}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {external_id: $ref}) RETURN d, true AS exact LIMIT 5
  UNION
  MATCH (d:Decision) WHERE $prefix <> '' AND d.id STARTS WITH $prefix RETURN d, false AS exact LIMIT 5
}
RETURN d.uid AS uid, d.id AS id, d.decision AS decision, exact
