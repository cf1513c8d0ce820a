// Returns all federation sources by name, in either of the two known spellings of their properties. $status: null for any.
MATCH (s:SYS_FederationSource)
WITH s, coalesce(s.name, s.label, s.source_id) AS name
WHERE $status IS NULL OR s.status = $status
RETURN name, coalesce(s.pid, s.wikidata_property) AS pid, s.status AS status,
       coalesce(s.scoping_weight, s.confidence) AS scoping_weight,
       coalesce(s.property_name, s.wikidata_property) AS property_name
ORDER BY name
