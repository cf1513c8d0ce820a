// Returns who changed rules, packs, tokens, approvals, proposals and appeals, newest first, from $since and before ($before, $before_uid). $kind and $by (lower case) filter; null for any. $limit.
CALL () {
  MATCH (c:SYS_Change)
  WHERE c.at >= $since AND c.at <= $before AND c.uid IS NOT NULL
  WITH c.at AS at, c.uid AS id, CASE c.label WHEN 'SYS_Policy' THEN 'policy' WHEN 'SYS_Threshold' THEN 'threshold' WHEN 'SYS_DecisionTable' THEN 'table' WHEN 'Atlas' THEN 'atlas' WHEN 'Context' THEN 'context' ELSE c.label END AS kind,
       c.name AS name, null AS object, c.kind AS action, toStringOrNull(c.by) AS by, toStringOrNull(c.why) AS why
  WHERE ($kind IS NULL OR kind = $kind) AND ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (p:SYS_Pack)
  WHERE ($kind IS NULL OR $kind = 'pack') AND p.applied_at >= $since AND p.applied_at <= $before
  WITH p.applied_at AS at, 'pack ' + p.name AS id, 'pack' AS kind, p.name AS name, null AS object, 'applied' AS action, toStringOrNull(p.applied_by) AS by, 'version ' + toStringOrNull(p.version) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (t:Token)
  WHERE ($kind IS NULL OR $kind = 'token') AND t.created_at >= $since AND t.created_at <= $before
  WITH t.created_at AS at, t.uid + ' created' AS id, 'token' AS kind, t.name AS name, null AS object, CASE WHEN t.rotated_from IS NULL THEN 'created' ELSE 'rotated' END AS action, toStringOrNull(t.created_by) AS by,
       reduce(list = '', p IN t.permissions | CASE WHEN list = '' THEN '' ELSE list + ', ' END + toString(p)) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (t:Token)
  WHERE ($kind IS NULL OR $kind = 'token') AND t.revoked_at >= $since AND t.revoked_at <= $before
  WITH t.revoked_at AS at, t.uid + ' revoked' AS id, 'token' AS kind, t.name AS name, null AS object, 'revoked' AS action, toStringOrNull(t.revoked_by) AS by, toStringOrNull(t.revoked_because) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (a:Approval)
  WHERE ($kind IS NULL OR $kind = 'approval') AND a.answered_at >= $since AND a.answered_at <= $before
  WITH a.answered_at AS at, a.uid AS id, 'approval' AS kind, a.action AS name, a.uid AS object, CASE a.state WHEN 'denied' THEN 'rejected' ELSE 'approved' END AS action, toStringOrNull(a.answered_by) AS by, toStringOrNull(a.reason) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (a:Approval)
  WHERE ($kind IS NULL OR $kind = 'approval') AND a.revoked_at >= $since AND a.revoked_at <= $before
  WITH a.revoked_at AS at, a.uid + ' revoked' AS id, 'approval' AS kind, a.action AS name, a.uid AS object, 'revoked' AS action, toStringOrNull(a.revoked_by) AS by, toStringOrNull(a.revoked_reason) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (a:Approval) WHERE ($kind IS NULL OR $kind = 'approval') AND a.renewals > 0
  UNWIND range(0, size(a.renewed_at) - 1) AS i
  WITH a.renewed_at[i] AS at, a.uid + ' renewed ' + toString(i) AS id, 'approval' AS kind, a.action AS name, a.uid AS object, 'renewed' AS action, toStringOrNull(a.renewed_by[i]) AS by, toStringOrNull(a.renewal_reasons[i]) AS why
  WHERE at >= $since AND at <= $before AND ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (step:ProposalStep) USING INDEX SEEK step:ProposalStep(at, uid)
  WHERE ($kind IS NULL OR $kind = 'proposal') AND step.at >= $since AND step.at <= $before AND step.uid >= ''
  WITH step, step.at AS at, step.uid AS id, CASE step.state WHEN 'open' THEN 'proposed' ELSE step.state END AS action,
       CASE WHEN step.state <> 'stale' THEN toStringOrNull(step.by) END AS by, // nobody made the proposal stale: other rules changed
       CASE step.state WHEN 'stale' THEN 'found when ' + coalesce(toStringOrNull(step.by), 'somebody') + ' tried to decide' ELSE toStringOrNull(step.reason) END AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  WITH step, at, id, action, by, why ORDER BY at DESC, id DESC LIMIT $limit
  MATCH (p:Proposal)-[:HAS_STEP]->(step)
  WITH at, id, 'proposal' AS kind, reduce(list = '', name IN COLLECT { MATCH (p)-[:CHANGES]->(n) RETURN toString(coalesce(n.name, n.table_id)) AS name ORDER BY name LIMIT 5 } |
       CASE WHEN list = '' THEN name ELSE list + ', ' + name END) AS name, p.uid AS object, action, by, why
  RETURN *
  UNION ALL
  MATCH (a:Appeal)
  WHERE ($kind IS NULL OR $kind = 'appeal') AND a.at >= $since AND a.at <= $before
  WITH a.at AS at, a.uid AS id, 'appeal' AS kind, a.description AS name, a.verdict AS object, 'appealed' AS action, toStringOrNull(a.agent) AS by, toStringOrNull(a.reason) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
  UNION ALL
  MATCH (a:Appeal)
  WHERE ($kind IS NULL OR $kind = 'appeal') AND a.decided_at >= $since AND a.decided_at <= $before
  WITH a.decided_at AS at, a.uid + ' decided' AS id, 'appeal' AS kind, a.description AS name, a.verdict AS object, a.state AS action, toStringOrNull(a.decided_by) AS by, toStringOrNull(a.answer) AS why
  WHERE ($by IS NULL OR toLower(by) = $by) AND (at < $before OR id < $before_uid)
  RETURN * ORDER BY at DESC, id DESC LIMIT $limit
}
RETURN at, id, kind, name, object, action, by, why
ORDER BY at DESC, id DESC LIMIT $limit
