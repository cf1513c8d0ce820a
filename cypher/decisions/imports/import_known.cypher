// Returns which of $keys [{source, external_id}] are decisions already, with the hash of the imported content, and which of $ids are taken.
CALL () {
  UNWIND $keys AS key
  MATCH (d:Decision {source: key.source, external_id: key.external_id}) USING INDEX d:Decision(source, external_id)
  RETURN collect({source: d.source, external_id: d.external_id, uid: d.uid, hash: d.import_hash}) AS known
}
CALL () {
  UNWIND $ids AS id
  MATCH (d:Decision {id: id})
  RETURN collect(id) AS taken
}
RETURN known, taken
