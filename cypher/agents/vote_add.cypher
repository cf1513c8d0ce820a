// Adds the vote $voice to the intent with the uid $intent and returns the stored vote.
MATCH (i:Intent {uid: $intent})
CREATE (v:Voice)-[:ON]->(i)
SET v += $voice, v.at = datetime()
RETURN properties(v) AS voice
