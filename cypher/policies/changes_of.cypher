// The history of the $label called $name, newest first, before ($before, $before_uid): who, when, why, and what it said before and after. $limit.
MATCH (c:SYS_Change {label: $label, name: $name})
WHERE c.at <= $before AND NOT (c.at = $before AND c.uid >= $before_uid) AND c.uid >= ''
WITH c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC LIMIT $limit
RETURN c.uid AS uid, c.at AS at, c.since AS since, c.kind AS kind, c.by AS by, c.why AS why, c.from AS from, c.to AS to, c.scope AS scope,
       COLLECT { MATCH (v:SYS_Version {hash: c.from, of: $label}) RETURN v.properties LIMIT 1 }[0] AS before,
       COLLECT { MATCH (v:SYS_Version {hash: c.to, of: $label}) RETURN v.properties LIMIT 1 }[0] AS after
