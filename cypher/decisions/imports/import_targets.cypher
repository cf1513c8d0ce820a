// Returns the decisions that $targets [text] may identify: by external id, otherwise by id.
UNWIND $targets AS target
CALL (target) {
  MATCH (d:Decision {external_id: target}) USING INDEX d:Decision(external_id)
  RETURN d, false AS own
  UNION
  MATCH (d:Decision {id: target})
  RETURN d, true AS own
}
RETURN target, d.uid AS uid, coalesce(d.source, '') AS source, d.created_at AS at, own
