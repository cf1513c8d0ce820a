// Returns the decision $uid with its tags, the verdict on its recording, and at most $limit approvals that actions of its deliberation used. Only what the caller may see.
MATCH (d:Decision {uid: $uid}) WHERE true /* visible: d:Decision */
RETURN d.id AS id, d.agent AS agent, d.category AS category, d.stakes AS stakes,
  COLLECT { MATCH (d)-[:TAGGED]->(t:Tag) RETURN t.key AS key ORDER BY key LIMIT $limit } AS tags,
  COLLECT { MATCH (v:Verdict)-[:JUDGED]->(d) WHERE true /* visible: v:Verdict */ RETURN v.at ORDER BY v.at DESC LIMIT 1 }[0] AS judged_at,
  COLLECT {
    MATCH (d)-[:DELIBERATED_BY]->(e:TraceEvent)-[:UNDER]->(a:Approval) WHERE true /* visible: a:Approval */
    WITH DISTINCT a ORDER BY a.asked_at, a.uid LIMIT $limit
    RETURN {approval_id: a.uid, state: a.state, agent_id: a.agent, action: a.action, rules: a.rules, ends: coalesce(a.valid_until, a.expires_at), used: a.used}
  } AS approvals
