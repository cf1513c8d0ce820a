// Stores the $summary of the ended session $uid. Returns its end, its duration, its number of events, its last hash and the number of contexts given.
MATCH (s:Session {uid: $uid})
SET s.summary = $summary
RETURN s.ended_at AS ended_at, s.ended_at.epochMillis - s.started_at.epochMillis AS duration_ms, s.count AS event_count, s.head AS final_hash, COUNT { MATCH ()-[g:GAVE {session: s.uid}]->() } AS contexts_given
