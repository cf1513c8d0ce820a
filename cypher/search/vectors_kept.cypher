// Takes their marks from the decisions of $rows [{uid, updated}], sorted by uid, that are still as they were when their vectors were made. Answers how many.
UNWIND $rows AS row
MATCH (d:Decision {uid: row.uid})
SET d.locked_by_nomograph = true
REMOVE d.locked_by_nomograph
WITH d, row WHERE d:Unindexed AND coalesce(toString(d.updated_at), '') = row.updated
REMOVE d:Unindexed
RETURN count(d) AS stored
