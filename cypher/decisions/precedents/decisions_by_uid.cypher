// The decisions $uids, in this order.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]})
RETURN properties(d) AS decision ORDER BY position
