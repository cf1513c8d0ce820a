// The newest session of the project $project in memory that is not $current (a uid, or '') and began before $before, without subagents' conversations and notes; as far as $sight lets it be seen.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from < $before AND s.chunks > 0 AND s.uid <> $current AND s.parent IS NULL AND coalesce(s.source, '') <> 'notes'
  AND ($sight IS NULL OR EXISTS { MATCH (c:Chunk) WHERE c.session = s.uid AND ($sight IS NULL OR toLower(c.project) IN $sight.projects AND (c.visibility <> 'private' OR toLower(c.agent) = $sight.agent)) })
RETURN s.uid AS uid, s.id AS id ORDER BY s.remembered_from DESC, s.uid DESC LIMIT 1
