// Marks the decisions $uids as not counted in their current state.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
SET d:Uncounted
