// Makes $model with $dimensions the one whose vectors count in the index $name, and gives since when the rebuild that is under way runs. $all: whether it makes every vector anew.
MERGE (i:SYS_SearchIndex {name: $name})
ON CREATE SET i.created_at = datetime()
SET i.model = $model, i.dimensions = $dimensions,
    i.rebuilding_since = CASE WHEN $all THEN coalesce(i.rebuilding_since, datetime()) ELSE i.rebuilding_since END
RETURN i.rebuilding_since AS since
