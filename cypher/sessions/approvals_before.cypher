// Returns the newest $limit requests for the actions $actions that were answered before the request $uid, with their parameters, in projects that the caller may see.
MATCH (asked:Approval {uid: $uid})
MATCH (a:Approval) WHERE a.action IN $actions AND a.asked_at <= coalesce(asked.answered_at, datetime()) AND a.answered_at <= coalesce(asked.answered_at, datetime()) AND a.state IN ['granted', 'denied', 'revoked'] AND coalesce(a.effective_at <= datetime(), true) AND a <> asked
  AND true /* visible: a:Approval */
RETURN a.uid AS uid, a.params AS params ORDER BY a.asked_at DESC, uid LIMIT $limit
