// Returns the decisions that the subscribed peer at $url has not received: those that changed since the last one sent, or since $looked minus $late milliseconds. Oldest first, at most $limit. If there are none, it returns a row with the clock only. It returns nothing if tokens exist for the peer's name and none of them is active.
MATCH (p:Peer {url: $url}) WHERE p.subscribed_at IS NOT NULL
  AND (NOT EXISTS { (:Agent {key: p.audience})<-[:OF]-(:Token) }
    OR EXISTS { MATCH (:Agent {key: p.audience})<-[:OF]-(t:Token) WHERE t.revoked_at IS NULL AND (t.expires_at IS NULL OR coalesce(t.expires_at > datetime(), false)) })
WITH p, datetime() AS now, CASE WHEN $looked IS NOT NULL AND $looked > p.pushed_to - duration({milliseconds: $late}) THEN $looked ELSE p.pushed_to - duration({milliseconds: $late}) END AS since
OPTIONAL CALL (p, since) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(updated_at, uid)
  WHERE d.updated_at >= since AND d.uid >= ''
  WITH p, d, NOT d:Retracted AND (
    d.visibility = 'shared' AND (p.audience_projects IS NULL OR toLower(d.project) IN p.audience_projects)
    OR d.visibility = 'project' AND toLower(d.project) IN p.audience_projects
    OR CASE WHEN d.shared_with IS :: LIST<STRING NOT NULL> NOT NULL THEN any(name IN d.shared_with WHERE toLower(trim(name)) = p.audience) ELSE false END) AS shared
  OPTIONAL MATCH (d)-[s:SENT_TO]->(p)
  WITH d, coalesce(shared, false) AS shared, s
  WHERE shared AND (s IS NULL OR s.withdrawn OR s.at < d.updated_at) OR NOT shared AND s IS NOT NULL AND NOT s.withdrawn
  RETURN d, shared ORDER BY d.updated_at, d.uid LIMIT $limit
}
RETURN d.uid AS uid, d.updated_at AS at, shared, now,
       CASE WHEN shared THEN d {.id, .category, .stakes, .confidence, .outcome, .created_at, decision: left(d.decision, 400)} ELSE d {.id} END AS decision
ORDER BY at, uid
