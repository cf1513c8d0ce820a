// Marks the decisions $uids as not counted as they are now.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
SET d:Uncounted
