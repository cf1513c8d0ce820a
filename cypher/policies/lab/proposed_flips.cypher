// Returns the newest open and approved proposals with the decisions whose acts flip in their last replay. $limit. Only proposals that the caller may see.
MATCH (p:Proposal)
WHERE p.state IN ['open', 'approved'] AND true /* visible: p:Proposal */
WITH p ORDER BY p.created_at DESC, p.uid DESC LIMIT $limit
MATCH (p)-[:REPLAYED]->(r:Replay)
WITH p, r ORDER BY r.at DESC
WITH p, head(collect(r)) AS r
RETURN p.uid AS uid, p.words AS words, coalesce(r.blocked_decisions, []) AS blocked, coalesce(r.unblocked_decisions, []) AS freed
ORDER BY p.created_at DESC, uid DESC
