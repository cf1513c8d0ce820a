// Returns the sources of imported conversations with the numbers of conversations and chunks. No parameters.
MATCH (s:Session) USING INDEX s:Session(source, external_id)
WHERE s.source IS NOT NULL AND s.source <> 'notes' AND s.external_id IS NOT NULL
RETURN s.source AS source, count(s) AS conversations, sum(coalesce(s.chunks, 0)) AS chunks ORDER BY source
