// Finds or creates the sessions of $conversations [{source, external_id, uid, id, agent, workspace, parent, at}], which are sorted, locks them and returns the versions of their memory.
UNWIND $conversations AS row
MERGE (s:Session {source: row.source, external_id: row.external_id})
  ON CREATE SET s.uid = row.uid, s.id = row.id, s.schema_version = 1, s.kind = 'imported', s.agent = row.agent, s.workspace = row.workspace, s.parent = row.parent,
                s.ambient = false, s.started_at = coalesce(row.at, datetime()), s.count = 0, s.consumed = 0
SET s.held = true
REMOVE s.held
WITH s
RETURN s.source AS source, s.external_id AS external_id, s.uid AS uid, coalesce(s.memory_version, 0) AS version
