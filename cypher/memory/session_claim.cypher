// Locks the session $uid if it is marked and its memory has $version. It removes the marker if $all of its events were read and it still has $count events.
MATCH (s:Session {uid: $uid})
SET s.held = true
REMOVE s.held
WITH s WHERE s:Unremembered AND coalesce(s.memory_version, 0) = $version
FOREACH (all IN CASE WHEN $all AND coalesce(s.count = $count, $count IS NULL) THEN [s] ELSE [] END | REMOVE all:Unremembered)
RETURN s.uid AS uid
