// Locks the sessions $uids, which are sorted.
UNWIND $uids AS uid
MATCH (s:Session {uid: uid})
SET s.held = true
REMOVE s.held
