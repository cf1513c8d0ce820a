// Removes the link of $type from the decision $source to $target; says what it was.
MATCH (a:Decision {uid: $source})
MATCH (b:Decision {uid: $target})
MATCH (a)-[r]->(b) WHERE type(r) = $type
WITH r, r {.weight, .created_at, .created_by, .context, .auto} AS edge
DELETE r
RETURN edge
