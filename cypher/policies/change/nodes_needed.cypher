// Of the nodes whose element ids are in $ids, those that a node beyond them links to, each with one that does.
UNWIND $ids AS id
MATCH (n)<-[:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW|HAS_CONTEXT]-(x)
WHERE elementId(n) = id AND NOT elementId(x) IN $ids
RETURN id, min(toString(coalesce(x.name, x.table_id, x.row_id, x.atlas_id, ''))) AS by
