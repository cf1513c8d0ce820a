// Stores the $summary of the ended session $uid. Returns its start, its end and its number of events.
MATCH (s:Session {uid: $uid})
SET s.summary = $summary
RETURN s.started_at AS started_at, s.ended_at AS ended_at, s.count AS count, s.head AS head, COUNT { MATCH ()-[g:GAVE {session: s.uid}]->() } AS given
