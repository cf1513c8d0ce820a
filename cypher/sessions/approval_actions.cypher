// Returns the actions of answered requests, in each spelling. No parameters.
MATCH (a:Approval) WHERE a.action IS NOT NULL AND a.state IN ['granted', 'denied', 'revoked'] AND true /* visible: a:Approval */
RETURN DISTINCT a.action AS action
