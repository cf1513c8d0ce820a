// Keeps what other servers said of an action, $rows, beside the verdict with the uid $verdict.
MATCH (v:Verdict {uid: $verdict})
UNWIND $rows AS row
CREATE (w:PeerVerdict)-[:BESIDE]->(v)
SET w += row, w.at = datetime()
