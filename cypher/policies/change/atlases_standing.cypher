// The atlases whose dependencies may name the atlas $atlas, in order of their ids, each with them as JSON.
MATCH (a:Atlas) WHERE a.atlas_id <> $atlas AND a.dependencies CONTAINS $atlas
RETURN a.atlas_id AS id, a.dependencies AS dependencies ORDER BY id
