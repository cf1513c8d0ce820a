// Returns ids that begin with $start and external ids that begin with $external, at most $limit of each, of decisions that the caller may see.
CALL () {
  MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND d.id STARTS WITH $start RETURN d.id AS id LIMIT $limit
  UNION
  MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND d.external_id STARTS WITH $external RETURN d.external_id AS id LIMIT $limit
}
RETURN id
