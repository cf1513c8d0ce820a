// The decisions that a policy objected to: of each of $policies, through the verdicts that its versions are linked to. Of a version $scan verdicts are looked at; at most $limit, of those that the caller may see.
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
