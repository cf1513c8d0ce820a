// Returns the decisions $uids, in this order, that the caller may see.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]}) WHERE true /* visible: d:Decision */
RETURN properties(d) AS decision ORDER BY position
