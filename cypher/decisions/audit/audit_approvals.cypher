// Returns the approvals $uids, those of $verdicts and those of the sessions with the ids $ids. $limit.
MATCH (a:Approval)
WHERE a.uid IN $uids OR a.verdict IN $verdicts OR a.session IN $ids
RETURN properties(a) AS approval ORDER BY a.uid LIMIT $limit
