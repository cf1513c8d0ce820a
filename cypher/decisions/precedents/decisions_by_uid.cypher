// The decisions $uids, in this order, as far as $sight lets them be seen.
UNWIND range(0, size($uids) - 1) AS position
MATCH (d:Decision {uid: $uids[position]}) WHERE ($sight IS NULL OR toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent))
RETURN properties(d) AS decision ORDER BY position
