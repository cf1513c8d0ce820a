// The newest session of the project $project in memory that is not $current (a uid, or '') and began before $before, without subagents' conversations and notes; as far as the caller may see it.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from < $before AND s.chunks > 0 AND s.uid <> $current AND s.parent IS NULL AND coalesce(s.source, '') <> 'notes'
  AND true /* visible: s:Session */
RETURN s.uid AS uid, s.id AS id ORDER BY s.remembered_from DESC, s.uid DESC LIMIT 1
