// Verdicts whose uids begin with $uid, a few of those that $sight leaves: uid, what is stored, the decisions each judged, and which of its rules say something else now.
MATCH (v:Verdict) WHERE v.uid STARTS WITH $uid AND ($sight IS NULL OR toLower(v.project) IN $sight.projects AND NOT EXISTS { (v)-[:JUDGED]->(d:Decision) WHERE NOT coalesce(toLower(d.project) IN $sight.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $sight.agent), false) })
WITH v ORDER BY v.uid LIMIT 6
RETURN v.uid AS uid, properties(v) AS verdict,
       [(v)-[:JUDGED]->(d:Decision) | d.id] AS decisions,
       [(v)-[:APPLIED]->(old) WHERE NOT EXISTS { (old)<-[:CURRENT_VERSION]-() } | old.name] AS changed_since
