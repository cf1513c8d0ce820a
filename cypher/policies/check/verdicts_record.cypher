// Stores $verdicts {properties, objections: [{version, result}]} with a relationship to each violated rule, except those that are stored already.
CYPHER replan=skip
UNWIND $verdicts AS verdict
WITH verdict WHERE NOT EXISTS { MATCH (:Verdict {uid: verdict.properties.uid}) }
CREATE (v:Verdict)
SET v = verdict.properties
WITH v, verdict
UNWIND verdict.objections AS objection
MATCH (p:SYS_Version {hash: objection.version, of: 'SYS_Policy'}) USING INDEX p:SYS_Version(hash)
CREATE (v)-[:APPLIED {result: objection.result}]->(p)
