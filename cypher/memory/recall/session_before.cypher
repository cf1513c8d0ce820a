// Returns the newest session of the project $project in memory other than $current (a uid, or '') that started before $before and that the caller may see. It excludes conversations of subagents and notes.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from < $before AND s.chunks > 0 AND s.uid <> $current AND s.parent IS NULL AND coalesce(s.source, '') <> 'notes'
  AND true /* visible: s:Session */
RETURN s.uid AS uid, s.id AS id ORDER BY s.remembered_from DESC, s.uid DESC LIMIT 1
