// Removes the markers from the decisions of $rows [{uid, updated}], sorted by uid, that have not changed since their vectors were made. Returns their number.
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d, row WHERE d:Unindexed AND coalesce(toString(d.updated_at), '') = row.updated
REMOVE d:Unindexed
RETURN count(d) AS stored
