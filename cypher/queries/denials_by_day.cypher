// Count denied actions by day (UTC).
// $days: integer = 30, number of days, including today
MATCH (v:Verdict)
WHERE v.allowed = false AND v.at >= datetime.truncate('day', datetime()) - duration({days: $days - 1}) AND v.uid >= ''
RETURN toString(date(v.at)) AS day, count(*) AS denials
ORDER BY day
