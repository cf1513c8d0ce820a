// Returns the stored state of the conversation $external_id of $source, and the position at which an import continues.
MATCH (s:Session {source: $source, external_id: $external_id}) USING INDEX s:Session(source, external_id)
RETURN s.uid AS uid, coalesce(s.memory_version, 0) AS version, coalesce(s.closed, 0) AS closed, coalesce(s.closed_turns, 0) AS closed_turns,
       coalesce(s.closed_hash, '') AS closed_hash, coalesce(s.turns, 0) AS turns, coalesce(s.size, 0) AS size, coalesce(s.content_hash, '') AS content_hash,
       coalesce(s.shared, 0) AS shared, coalesce(s.messages, []) AS messages
