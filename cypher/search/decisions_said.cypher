// What the decisions $uids say: of each text the first $cut characters.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
RETURN {uid: uid, decision: left(d.decision, $cut), context: left(d.context, $cut), terms: left(d.terms, $cut)} AS read
