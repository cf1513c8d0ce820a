// Adds $voice to the intent with the uid $intent, and gives it as it is kept.
MATCH (i:Intent {uid: $intent})
CREATE (v:Voice)-[:ON]->(i)
SET v += $voice, v.at = datetime()
RETURN properties(v) AS voice
