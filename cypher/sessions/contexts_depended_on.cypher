// Returns contexts that the packs $atlases {name, ids} own besides ids, and that contexts of the packs $others include.
UNWIND $atlases AS atlas
MATCH (:SYS_Pack {name: atlas.name})-[:OWNS]->(c:Context) WHERE NOT c.context_id IN atlas.ids
WITH atlas, collect(c.context_id) AS gone
WHERE size(gone) > 0
UNWIND $others AS other
MATCH (:SYS_Pack {name: other})-[:OWNS]->(by:Context)
UNWIND [id IN by.also_inject WHERE id IN gone] AS id
RETURN atlas.name AS atlas, id, by.context_id AS by, other ORDER BY atlas, id, other, by
