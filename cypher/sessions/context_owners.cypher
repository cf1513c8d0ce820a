// Returns those of the contexts $ids that exist, each with the pack that owns it, or null.
UNWIND $ids AS id
MATCH (c:Context {context_id: id})
OPTIONAL MATCH (p:SYS_Pack)-[:OWNS]->(c)
RETURN id, coalesce(p.name, '') AS owner
