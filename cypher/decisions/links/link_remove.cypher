// Removes the link of $type from the decision $source to $target, and stores the event $uid with $by and the reason $why. Returns the removed link.
MATCH (a:Decision {uid: $source})
MATCH (b:Decision {uid: $target})
MATCH (a)-[r]->(b) WHERE type(r) = $type
CREATE (change:LinkChange {uid: $uid, schema_version: 1, at: datetime(), by: $by, kind: 'removed', type: $type, weight: r.weight, context: $why})
CREATE (change)-[:LINKED_FROM]->(a)
CREATE (change)-[:LINKED_TO]->(b)
WITH r, r {.weight, .created_at, .created_by, .context, .auto} AS edge
DELETE r
RETURN edge
