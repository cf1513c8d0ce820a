// Notes that all vectors of the index $name are those of the index's model, and that long texts have one a passage.
MATCH (i:SYS_SearchIndex {name: $name})
SET i.passages = true
REMOVE i.rebuilding_since
