// Adds $rows {key, name, day, operation, calls, denials, refusals, bytes}, sorted by key, day and operation, to the usage counts.
UNWIND $rows AS row
MERGE (u:TokenUsage {key: row.key, day: row.day, operation: row.operation})
  ON CREATE SET u.name = row.name, u.schema_version = 1, u.calls = 0, u.denials = 0, u.refusals = 0, u.bytes = 0
SET u.calls = u.calls + row.calls, u.denials = u.denials + row.denials, u.refusals = u.refusals + row.refusals, u.bytes = u.bytes + row.bytes
