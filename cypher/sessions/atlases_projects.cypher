// Returns those of the atlases $ids that exist, for any caller, each with its project or null.
MATCH (a:Atlas) WHERE a.atlas_id IN $ids
RETURN a.atlas_id AS atlas_id, a.project IS NOT NULL AS limited, coalesce(toStringOrNull(a.project), '') AS project
