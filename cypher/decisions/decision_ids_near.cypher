// Ids that begin with $start, and external ids that begin with $external, at most $limit of each, of those that $sight leaves.
CALL () {
  MATCH (d:Decision) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) AND d.id STARTS WITH $start RETURN d.id AS id LIMIT $limit
  UNION
  MATCH (d:Decision) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent)) AND d.external_id STARTS WITH $external RETURN d.external_id AS id LIMIT $limit
}
RETURN id
