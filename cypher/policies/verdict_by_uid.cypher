// The verdict with the uid $uid, the decisions it judged, and which of its rules say something else now.
MATCH (v:Verdict {uid: $uid})
RETURN properties(v) AS verdict,
       [(v)-[:JUDGED]->(d:Decision) | d.id] AS decisions,
       [(v)-[:APPLIED]->(old) WHERE NOT EXISTS { (old)<-[:CURRENT_VERSION]-() } | old.name] AS changed_since
