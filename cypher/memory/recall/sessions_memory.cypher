// Returns the newest $limit sessions of the project $project in memory that were active from $from until before $to and that the caller may see, and their number. It excludes sessions that contain only notes.
MATCH (s:Session) WHERE s.project = $project AND s.remembered_from < $to AND s.remembered_to >= $from AND s.chunks > 0 AND coalesce(s.source, '') <> 'notes'
  AND true /* visible: s:Session */
WITH s ORDER BY s.remembered_from DESC, s.uid DESC
WITH collect(s) AS found
UNWIND found[..$limit] AS s
RETURN size(found) AS total, s.id AS session_id, s.uid AS uid, s.agent AS agent, s.title AS title, s.remembered_from AS from, s.remembered_to AS to, s.chunks AS chunks, s.tokens AS tokens
