// Notes that all vectors of the index $name are those of the index's model, that long texts have one a passage and that they stand as bytes too, and whether they have the facets of a filtered index.
MATCH (i:SYS_SearchIndex {name: $name})
SET i.passages = true, i.packed = true, i.filtered = $filtered
REMOVE i.rebuilding_since
