// Returns verdicts whose uids begin with $prefix and that the caller may see, newest first, at most $limit: the uid as name, the result and the action.
MATCH (v:Verdict) WHERE v.uid STARTS WITH $prefix
  AND true /* visible: v:Verdict */
RETURN v.uid AS name, CASE WHEN v.allowed THEN 'allowed: ' ELSE 'denied: ' END + coalesce(toStringOrNull(v.description), '') AS title
ORDER BY name DESC LIMIT $limit
