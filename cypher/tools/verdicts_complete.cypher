// Verdicts whose uids begin with $prefix, newest first, at most $limit, of those that the caller may see: uid as name, and what was said of what.
MATCH (v:Verdict) WHERE v.uid STARTS WITH $prefix
  AND true /* visible: v:Verdict */
RETURN v.uid AS name, CASE WHEN v.allowed THEN 'allowed: ' ELSE 'denied: ' END + coalesce(toStringOrNull(v.description), '') AS title
ORDER BY name DESC LIMIT $limit
