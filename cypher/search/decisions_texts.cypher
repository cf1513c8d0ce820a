// Returns the first $cut characters of each text of the decisions $uids.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
RETURN {uid: uid, decision: left(d.decision, $cut), context: left(d.context, $cut), terms: left(d.terms, $cut)} AS read
