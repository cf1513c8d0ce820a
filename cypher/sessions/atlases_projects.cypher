// Of the atlases $ids those that are there, whoever asks, each with its project; null where it has none.
MATCH (a:Atlas) WHERE a.atlas_id IN $ids
RETURN a.atlas_id AS atlas_id, a.project IS NOT NULL AS limited, coalesce(toStringOrNull(a.project), '') AS project
