// Decides the open appeal against the verdict $verdict with $state, by $by with $identity, for the reason $answer. The agent that appealed or was denied may not decide. usable: the appeal was decided. own: $identity is that agent.
// Notifies Appeal.
MATCH (:Verdict {uid: $verdict})<-[:AGAINST]-(a:Appeal)
SET a.held = true
REMOVE a.held
WITH a, $identity IN [a.agent_key, a.asked_by, a.denied_key] AS own
WITH a, own, a.state = 'open' AND NOT own AS usable
FOREACH (_ IN CASE WHEN usable THEN [1] ELSE [] END |
  SET a.state = $state, a.decided_by = $by, a.answer = $answer, a.decided_at = datetime())
RETURN properties(a) AS appeal, usable, own
LIMIT 1
