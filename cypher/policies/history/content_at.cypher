// Returns the content of each of $candidates {name, scope: null for any} of the $label at the time $at: its last change before that, and the next one.
UNWIND range(0, size($candidates) - 1) AS place
WITH place, $candidates[place] AS candidate
OPTIONAL CALL (candidate) {
  MATCH (c:SYS_Change {label: $label, name: candidate.name}) USING INDEX SEEK c:SYS_Change(label, name, at, uid)
  WHERE c.at <= $at AND c.uid >= '' AND (candidate.scope IS NULL OR coalesce(c.scope, '') = candidate.scope)
  RETURN c ORDER BY c.label DESC, c.name DESC, c.at DESC, c.uid DESC LIMIT 1
}
OPTIONAL CALL (candidate) {
  MATCH (n:SYS_Change {label: $label, name: candidate.name}) USING INDEX SEEK n:SYS_Change(label, name, at, uid)
  WHERE n.at > $at AND n.uid >= '' AND (candidate.scope IS NULL OR coalesce(n.scope, '') = candidate.scope)
  RETURN n ORDER BY n.label, n.name, n.at, n.uid LIMIT 1
}
WITH place, c, n WHERE c IS NOT NULL OR n IS NOT NULL
RETURN c.at AS at, c.to AS version, n.at AS next_at, n.since AS next_since, n.kind AS next_kind,
       COLLECT { MATCH (v:SYS_Version {hash: c.to, of: $label}) USING INDEX v:SYS_Version(hash) RETURN v.properties LIMIT 1 }[0] AS said
ORDER BY place
