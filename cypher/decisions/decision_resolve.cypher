// Returns the decisions that $ref ($id in lower case) may identify: exact matches, and a few whose ids begin with $prefix or whose external ids begin with $external up to a word boundary (both empty: none). Only decisions that the caller may see.
CALL () {
  MATCH (d:Decision {id: $id}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {uid: $ref}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {external_id: $ref}) WHERE true /* visible: d:Decision */ RETURN d, true AS exact LIMIT 5
  UNION
  WITH $prefix AS beginning WHERE beginning <> '' MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND d.id STARTS WITH beginning RETURN d, false AS exact LIMIT 5
  UNION
  WITH $external AS beginning WHERE beginning <> '' MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND d.external_id STARTS WITH beginning AND NOT substring(d.external_id, size(beginning), 1) =~ '[0-9A-Za-z]' RETURN d, false AS exact LIMIT 5
}
WITH d, exact WHERE true /* visible: d:Decision */
RETURN d.uid AS uid, d.id AS id, d.decision AS decision, exact
