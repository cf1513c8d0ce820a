// Records $model with $dimensions as the model of the index $name. $all starts a rebuild of all vectors. Returns the start of the current rebuild, or null.
MERGE (i:SYS_SearchIndex {name: $name})
ON CREATE SET i.created_at = datetime()
SET i.model = $model, i.dimensions = $dimensions,
    i.rebuilding_since = CASE WHEN $all THEN coalesce(i.rebuilding_since, datetime()) ELSE i.rebuilding_since END
RETURN i.rebuilding_since AS since
