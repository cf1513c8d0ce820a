// Returns decisions since $after that failed or were abandoned although they violated the rule $name, newest first. It examines $scan verdicts of each version and returns at most $limit decisions that the caller may see.
MATCH (version:SYS_Version {of: 'SYS_Policy', name: $name}) USING INDEX version:SYS_Version(of, name)
CALL (version) {
  MATCH (version)<-[:APPLIED]-(v:Verdict) WHERE v.at >= $after
  WITH v LIMIT $scan
  MATCH (v)-[:JUDGED]->(d:Decision) WHERE d.outcome IN ['failure', 'abandoned'] AND NOT d:Retracted AND true /* visible: d:Decision */
  RETURN d
}
WITH DISTINCT d ORDER BY d.created_at DESC, d.uid DESC LIMIT $limit
RETURN d.id AS id
