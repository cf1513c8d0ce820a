// Returns proposals, newest first, with their last replay and lineage: those whose uid starts with $uid, or those before ($before, $before_uid) in the state $state; null for any. $stale: uids of those that are stale. $limit.
CALL () {
  MATCH (p:Proposal) WHERE $uid IS NOT NULL AND p.uid STARTS WITH $uid AND true /* visible: p:Proposal */ RETURN p LIMIT 2
  UNION
  MATCH (p:Proposal) WHERE $uid IS NULL AND p.created_at <= $before AND true /* visible: p:Proposal */
    AND (p.created_at < $before OR p.uid < $before_uid)
    AND ($state IS NULL OR $state = CASE WHEN p.uid IN $stale THEN 'stale' ELSE p.state END)
  RETURN p ORDER BY p.created_at DESC, p.uid DESC LIMIT $limit
}
RETURN properties(p) AS proposal, COLLECT { MATCH (p)-[:REPLAYED]->(r:Replay) RETURN r {.*, blocked_decisions: null, unblocked_decisions: null} ORDER BY r.at DESC LIMIT 1 } AS replays,
  COLLECT { MATCH (p)-[:BECAUSE_OF]->(d:Decision) WHERE true /* visible: d:Decision */ RETURN {kind: 'decision', id: d.id, text: d.decision, outcome: d.outcome} ORDER BY d.id LIMIT 50 }
  + COLLECT { MATCH (p)-[:BECAUSE_OF]->(v:Verdict) WHERE true /* visible: v:Verdict */ RETURN {kind: 'verdict', id: v.uid, text: v.description, outcome: CASE WHEN v.allowed THEN 'allowed' ELSE 'denied' END} ORDER BY v.uid LIMIT 50 }
  + COLLECT { MATCH (p)-[:BECAUSE_OF]->(review:Review)<-[:HAS_REVIEW]-(of:Decision) WHERE true /* visible: of:Decision */ RETURN {kind: 'review', id: review.uid, text: of.decision, outcome: review.outcome} ORDER BY review.uid LIMIT 50 } AS because
ORDER BY proposal.created_at DESC, proposal.uid DESC
