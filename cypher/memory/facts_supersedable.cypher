// Returns the facts of the project $project that a new fact may supersede and that the caller may see. These are active facts whose subject is $subject or that make one of $claims (null and [] for none), and facts, active or not, whose id, or the end of it, is in $ids. Their sessions begin with $prefix.
MATCH (s:Session) USING INDEX s:Session(source, external_id)
WHERE s.source = 'notes' AND s.external_id STARTS WITH $prefix
MATCH (c:Chunk) USING INDEX SEEK c:Chunk(session, position)
WHERE c.session = s.uid AND c.position >= 0 AND c.kind = 'fact' AND c.project = $project
  AND (any(id IN $ids WHERE c.uid ENDS WITH id) OR c.superseded_at IS NULL AND (c.hash = $hash OR c.subject_key = $subject OR any(claim IN c.claims WHERE claim IN $claims)))
  AND true /* visible: c:Chunk */
RETURN c.uid AS uid, c.text AS text, c.agent AS agent, c.hash AS hash, coalesce(c.subject_key, '') AS subject, c.at AS at, c.valid_from AS valid_from, c.valid_until AS valid_until, c.superseded_at AS superseded_at
ORDER BY c.valid_from, uid
