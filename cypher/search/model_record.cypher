// Makes $model with $dimensions the model of the index $name, and returns the start of the current rebuild. $all: whether it makes all vectors again.
MERGE (i:SYS_SearchIndex {name: $name})
ON CREATE SET i.created_at = datetime()
SET i.model = $model, i.dimensions = $dimensions,
    i.rebuilding_since = CASE WHEN $all THEN coalesce(i.rebuilding_since, datetime()) ELSE i.rebuilding_since END
RETURN i.rebuilding_since AS since
