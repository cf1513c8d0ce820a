// The decisions that $ref ($id in lower case) may mean: exact ones, and a few whose ids begin with $prefix or external ids with $external, as whole words (both empty: none), of those that $sight leaves.
CALL () {
  MATCH (d:Decision {id: $id}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {uid: $ref}) RETURN d, true AS exact
  UNION
  MATCH (d:Decision {external_id: $ref}) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) RETURN d, true AS exact LIMIT 5
  UNION
  MATCH (d:Decision) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) AND $prefix <> '' AND d.id STARTS WITH $prefix RETURN d, false AS exact LIMIT 5
  UNION
  MATCH (d:Decision) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) AND $external <> '' AND d.external_id STARTS WITH $external AND NOT substring(d.external_id, size($external), 1) =~ '[0-9A-Za-z]' RETURN d, false AS exact LIMIT 5
}
WITH d, exact WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent))
RETURN d.uid AS uid, d.id AS id, d.decision AS decision, exact
