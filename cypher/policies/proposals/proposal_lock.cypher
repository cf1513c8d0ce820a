// Locks the proposal $uid until the transaction ends, and returns its properties.
MATCH (p:Proposal {uid: $uid})
SET p.held = true
REMOVE p.held
RETURN properties(p) AS proposal
