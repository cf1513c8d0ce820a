// The decisions $uids, in this order, as far as the caller may see them.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]}) WHERE true /* visible: d:Decision */
RETURN properties(d) AS decision ORDER BY position
