// Returns the atlas $atlas with its contexts, most important first, and its policies; no row if it does not exist or the caller may not see it.
MATCH (a:Atlas {atlas_id: $atlas}) WHERE true /* visible: a:Atlas */
RETURN properties(a) AS atlas,
       COLLECT { MATCH (a)-[:HAS_CONTEXT]->(c:Context) RETURN properties(c) ORDER BY c.priority DESC, c.context_id } AS contexts,
       COLLECT { MATCH (:SYS_Pack {name: 'atlas:' + $atlas})-[:OWNS]->(p:SYS_Policy) RETURN properties(p) ORDER BY p.name } AS policies
LIMIT 1
