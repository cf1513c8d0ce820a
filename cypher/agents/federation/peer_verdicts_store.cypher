// Stores the verdicts $rows of other servers on an action with the verdict whose uid is $verdict.
MATCH (v:Verdict {uid: $verdict})
UNWIND $rows AS row
CREATE (w:PeerVerdict)-[:BESIDE]->(v)
SET w += row, w.at = datetime()
