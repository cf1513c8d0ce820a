// Returns the reports of actions in the session $session.
MATCH (e:TraceEvent) USING INDEX SEEK e:TraceEvent(session, seq)
WHERE e.session = $session AND e.seq >= 0 AND e.type = 'action.reported' AND e.payload IS :: STRING NOT NULL
RETURN e.payload AS payload
