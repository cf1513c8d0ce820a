// List recent changes, newest first.
// $days: integer = 7, number of days to look back
// $limit: integer = 50, maximum number of changes
MATCH (c:SYS_Change)
WHERE c.at >= datetime() - duration({days: $days})
RETURN c.at AS at, c.label AS what, c.name AS name, c.kind AS kind, c.by AS by, c.why AS why
ORDER BY at DESC
LIMIT toInteger($limit)
