// Returns the history of the $label called $name, newest first, before ($before, $before_uid), with the versions before and after each change. $limit.
MATCH (c:SYS_Change {label: $label, name: $name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid)
WHERE c.at <= $before AND c.uid >= ''
WITH c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC
WHERE CASE WHEN c.at = $before THEN c.uid < $before_uid ELSE true END
WITH c LIMIT $limit
RETURN properties(c) AS change, COLLECT {
  UNWIND [c.from, c.to] AS hash
  MATCH (v:SYS_Version {hash: hash, of: $label}) USING INDEX v:SYS_Version(hash)
  RETURN v
} AS versions
ORDER BY c.at DESC, c.uid DESC
