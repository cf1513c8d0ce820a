// Which of the contexts $ids are there, and the pack that owns each, if one does.
UNWIND $ids AS id
MATCH (c:Context {context_id: id})
OPTIONAL MATCH (p:SYS_Pack)-[:OWNS]->(c)
RETURN id, coalesce(p.name, '') AS owner
