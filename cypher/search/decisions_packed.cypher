// Returns the vectors of $model of the decisions $uids as bytes.
UNWIND $uids AS uid
MATCH (d:Decision {uid: uid})
RETURN {uid: uid, packed: [(d)<-[:OF]-(e:Embedding) WHERE e.model = $model AND e.packed IS NOT NULL | e.packed]} AS read
