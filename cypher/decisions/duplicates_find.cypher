// Returns the $limit best decisions for the Lucene query $query, best first, with the first 400 characters of their text. Retracted and superseded decisions and the decision $uid are left out.
CALL db.index.fulltext.queryNodes('decision_text', $query, {limit: $limit}) YIELD node AS d, score
WHERE d.uid <> $uid AND NOT d:Retracted AND true /* visible: d:Decision */ AND NOT EXISTS { MATCH (d)<-[:SUPERSEDES]-(o:Decision) WHERE NOT o:Retracted AND true /* visible: o:Decision */ }
RETURN d.id AS id, left(d.decision, 400) AS decision, d.project AS project, d.agent AS agent, d.created_at AS created_at
ORDER BY score DESC, d.uid
