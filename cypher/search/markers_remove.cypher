// Removes the markers from the decisions of $rows [{uid, updated}], sorted by uid, that have not changed since their vectors were made by $model with $dimensions, unless the index has another model by now. Returns their number.
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
// The model is read under the lock. A rebuild records its model before it marks, so its marks stay.
WITH d, row WHERE d:Unindexed AND coalesce(toString(d.updated_at), '') = row.updated
  AND EXISTS { MATCH (index:SYS_SearchIndex {name: 'decisions'}) WHERE index.model = $model AND index.dimensions = $dimensions }
REMOVE d:Unindexed
RETURN count(d) AS stored
