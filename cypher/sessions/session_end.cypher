// Ends the session $uid, with $summary, unless it has ended; gives when it began and ended, and how many events it has.
MATCH (s:Session {uid: $uid})
SET s.held = true
REMOVE s.held
WITH s, s.ended_at IS NULL AS first
SET s.ended_at = coalesce(s.ended_at, datetime()), s.summary = CASE WHEN first THEN $summary ELSE s.summary END
RETURN first, s.started_at AS started_at, s.ended_at AS ended_at, s.count AS count, s.head AS head, COUNT { MATCH ()-[g:GAVE {session: s.uid}]->() } AS given
