// Returns those of the nodes $ids (element ids) to which a node outside of $ids links, each with one such node.
UNWIND $ids AS id
MATCH (n)<-[:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW|HAS_CONTEXT]-(x)
WHERE elementId(n) = id AND NOT elementId(x) IN $ids
RETURN id, min(toString(coalesce(x.name, x.table_id, x.row_id, x.atlas_id, ''))) AS by
