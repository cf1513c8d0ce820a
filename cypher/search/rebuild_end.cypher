// Stores that all vectors of the index $name come from its model, that long texts have a vector per passage, that vectors exist as bytes, and whether they have the facets of a filtered index.
MATCH (i:SYS_SearchIndex {name: $name})
SET i.passages = true, i.packed = true, i.filtered = $filtered
REMOVE i.rebuilding_since
