// Returns the contexts given in the session $session that the caller may see, by the time they were last given, and the pending approvals requested in it.
MATCH (s:Session {uid: $session})
RETURN COLLECT {
    MATCH ()-[g:GAVE {session: $session}]->(c:Context) WHERE true /* visible: c:Context */
    WITH c, max(g.at) AS at, max(g.score) AS score, count(g) AS times
    RETURN {context_id: c.context_id, name: c.name, atlas_id: [(a:Atlas)-[:HAS_CONTEXT]->(c) | a.atlas_id][0], match_score: score, times: times, given_at: at} ORDER BY at DESC, c.context_id
  } AS contexts,
  COLLECT { MATCH (a:Approval {state: 'waiting'}) WHERE a.session = s.id AND a.expires_at > datetime() RETURN a.uid ORDER BY a.asked_at } AS waiting
