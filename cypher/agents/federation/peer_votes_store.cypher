// Adds the votes $voices of other servers to the intent with the uid $intent.
MATCH (i:Intent {uid: $intent})
UNWIND $voices AS voice
CREATE (v:Voice)-[:ON]->(i)
SET v += voice, v.at = datetime()
