// Stores that all vectors of the index $name come from its model, that long texts have a vector per passage, and that vectors exist as bytes.
MATCH (i:SYS_SearchIndex {name: $name})
SET i.passages = true, i.packed = true
REMOVE i.rebuilding_since
