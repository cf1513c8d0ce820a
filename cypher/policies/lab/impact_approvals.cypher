// Returns pending approval requests and time-limited approvals under the rules $rules, earliest end first. At most $limit that the caller may see.
MATCH (a:Approval)
WHERE (a.state = 'waiting' AND a.expires_at > datetime() OR a.state = 'granted' AND a.valid_until > datetime() AND NOT coalesce(a.once, false))
  AND any(rule IN a.rules WHERE rule IN $rules) AND true /* visible: a:Approval */
WITH a, coalesce(a.valid_until, a.expires_at) AS ends ORDER BY ends, a.uid LIMIT $limit
RETURN a.uid AS approval_id, a.state AS state, a.agent AS agent_id, a.action AS action, [rule IN a.rules WHERE rule IN $rules] AS rules, ends, a.used AS used
