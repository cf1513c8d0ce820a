// Stores a vote on the context $context: $helpful and $reason, of the agent whose key is $agent, for the need for which the session $session (null: none) last received it. A second vote for the same need replaces the first. Returns no row if the caller sees no such context.
MATCH (c:Context {context_id: $context}) WHERE EXISTS { (a:Atlas)-[:HAS_CONTEXT]->(c) WHERE true /* visible: a:Atlas */ }
WITH c LIMIT 1
OPTIONAL CALL (c) {
  MATCH (e:TraceEvent)-[g:GAVE {session: $session}]->(c)
  RETURN g, e ORDER BY e.seq DESC LIMIT 1
}
WITH c, e, coalesce(g.need, '') AS need
MERGE (f:Feedback {voice: $agent + '/' + c.uid + '/' + toLower(trim(need))})
ON CREATE SET f.uid = $uid, f.schema_version = 1, f.first_at = datetime()
WITH c, e, need, f, f.at IS NOT NULL AS replaced
SET f.agent = $agent, f.context_id = c.context_id, f.need = need, f.helpful = $helpful, f.reason = $reason, f.session = $session, f.event = e.uid, f.at = datetime()
MERGE (f)-[:ABOUT]->(c)
RETURN f.uid AS uid, need, replaced, e.uid AS given
