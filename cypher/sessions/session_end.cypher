// Gives the session $uid, which has ended, its $summary; gives when it began and ended, and how many events it has.
MATCH (s:Session {uid: $uid})
SET s.summary = $summary
RETURN s.started_at AS started_at, s.ended_at AS ended_at, s.count AS count, s.head AS head, COUNT { MATCH ()-[g:GAVE {session: s.uid}]->() } AS given
