// Returns the decisions with violations of each of $policies, through the verdicts linked to its versions. It examines $scan verdicts of each version and returns at most $limit decisions that the caller may see.
UNWIND $policies AS name
MATCH (version:SYS_Version {of: 'SYS_Policy', name: name}) USING INDEX version:SYS_Version(of, name)
CALL (version) {
  MATCH (version)<-[applied:APPLIED]-(v:Verdict)
  WITH applied, v LIMIT $scan
  MATCH (v)-[:JUDGED]->(d:Decision) WHERE true /* visible: d:Decision */
  RETURN applied, v, d LIMIT $limit
}
RETURN name AS policy, version.hash AS version, applied.result AS result, v.uid AS verdict, v.at AS at, d.uid AS uid
ORDER BY at DESC, verdict
LIMIT $limit
