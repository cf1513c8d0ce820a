// Returns the hashes of the content and of the first message of each imported conversation, and its names at the source.
MATCH (s:Session) WHERE s.content_hash IS NOT NULL
RETURN s.content_hash AS hash, s.source AS source, s.external_id AS external_id, coalesce(s.first_message, 0) AS first_message
