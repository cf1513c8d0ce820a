// The newest $limit sessions of the project $project in memory that went on from $from until before $to, without those that only hold notes, as far as $sight lets them be seen, and how many there are.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from < $to AND s.remembered_to >= $from AND s.chunks > 0 AND coalesce(s.source, '') <> 'notes'
  AND ($sight IS NULL OR EXISTS { MATCH (c:Chunk) WHERE c.session = s.uid AND ($sight IS NULL OR toLower(c.project) IN $sight.projects AND (c.visibility <> 'private' OR toLower(c.agent) = $sight.agent)) })
WITH s ORDER BY s.remembered_from DESC, s.uid DESC
WITH collect(s) AS found
UNWIND found[..$limit] AS s
RETURN size(found) AS total, s.id AS session_id, s.uid AS uid, s.agent AS agent, s.title AS title, s.remembered_from AS from, s.remembered_to AS to, s.chunks AS chunks, s.tokens AS tokens
