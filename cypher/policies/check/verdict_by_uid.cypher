// Returns a few verdicts that the caller may see whose uids begin with $uid: uid, stored content, evaluated decisions, and which of the rules have changed.
MATCH (v:Verdict) WHERE v.uid STARTS WITH $uid AND true /* visible: v:Verdict */
WITH v ORDER BY v.uid LIMIT 6
RETURN v.uid AS uid, properties(v) AS verdict, [(v)<-[:AGAINST]-(a:Appeal) | properties(a)][0] AS appeal,
       [(v)-[:JUDGED]->(d:Decision) | d.id] AS decisions,
       [(v)-[:APPLIED]->(old) WHERE NOT EXISTS { (old)<-[:CURRENT_VERSION]-() } | old.name] AS changed_since
