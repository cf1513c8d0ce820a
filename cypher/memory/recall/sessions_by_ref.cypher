// Returns the sessions of the project $project in memory that $session may identify and the caller may see: by id, by uid, or by their beginning or end.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from IS NOT NULL AND s.chunks > 0
  AND (s.id = $session OR s.uid = $session OR s.external_id = $session OR s.external_id STARTS WITH $session OR s.id STARTS WITH $session OR s.id ENDS WITH $session OR s.uid ENDS WITH $session)
  AND true /* visible: s:Session */
RETURN s.uid AS uid, s.id AS id, s.id = $session OR s.uid = $session OR coalesce(s.external_id = $session, false) AS exact, s.remembered_from AS from
ORDER BY exact DESC, from DESC LIMIT 5
