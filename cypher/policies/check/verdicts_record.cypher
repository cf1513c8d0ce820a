// Stores $verdicts {properties, objections: [{version, result}]} with a relationship to each violated rule, except those that are stored already.
CYPHER replan=skip
UNWIND $verdicts AS verdict
MERGE (v:Verdict {uid: verdict.properties.uid}) // waits for a concurrent transaction that stores the same verdict
ON CREATE SET v = verdict.properties
WITH v, verdict WHERE NOT EXISTS { (v)-[:APPLIED]->() }
UNWIND verdict.objections AS objection
MATCH (p:SYS_Version {hash: objection.version, of: 'SYS_Policy'}) USING INDEX p:SYS_Version(hash)
CREATE (v)-[:APPLIED {result: objection.result}]->(p)
