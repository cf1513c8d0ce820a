// Keeps the verdict $verdict (properties), whose rules came from $revision; $objections {version, result}: those that objected. Answers whether the revision is known.
CREATE (v:Verdict)
SET v = $verdict
WITH v
OPTIONAL MATCH (r:SYS_Revision {hash: v.revision})
CALL (v) {
  UNWIND $objections AS objection
  MATCH (p:SYS_Version {hash: objection.version, of: 'SYS_Policy'})
  CREATE (v)-[:APPLIED {result: objection.result}]->(p)
}
RETURN r IS NOT NULL AS known
