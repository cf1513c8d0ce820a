// Returns the atlases whose dependencies may name the atlas $atlas, by id, with their dependencies as JSON.
MATCH (a:Atlas) WHERE a.atlas_id <> $atlas AND a.dependencies CONTAINS $atlas
RETURN a.atlas_id AS id, a.dependencies AS dependencies ORDER BY id
