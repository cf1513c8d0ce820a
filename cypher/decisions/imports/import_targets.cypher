// The decisions that $targets [text] may mean: by the id they were imported with, else by their own.
UNWIND $targets AS target
CALL (target) {
  MATCH (d:Decision {external_id: target}) USING INDEX d:Decision(external_id)
  RETURN d, false AS own
  UNION
  MATCH (d:Decision {id: target})
  RETURN d, true AS own
}
RETURN target, d.uid AS uid, coalesce(d.source, '') AS source, d.created_at AS at, own
