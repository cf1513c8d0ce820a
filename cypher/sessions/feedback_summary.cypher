// What was said of the contexts: of $context, or where it is null of all that were given or spoken of, most given first, at most $limit.
MATCH (c:Context) WHERE ($context IS NULL OR c.context_id = $context)
WITH c, COUNT { ()-[:GAVE]->(c) } AS requests, COLLECT { MATCH (f:Feedback)-[:ABOUT]->(c) RETURN f {.helpful, .need, .reason} ORDER BY f.at DESC LIMIT 1000 } AS voices
WHERE $context IS NOT NULL OR requests > 0 OR voices <> []
RETURN c.context_id AS context_id, requests, voices ORDER BY requests DESC, context_id LIMIT $limit
