// Notes that all vectors are those of the index's model, and that long texts have one a passage.
MATCH (i:SYS_SearchIndex {name: 'decisions'})
SET i.passages = true
REMOVE i.rebuilding_since
