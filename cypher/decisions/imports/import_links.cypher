// Creates the missing links among $links [{from, to, type, weight, context}], sorted by their ends.
WITH datetime() AS now
UNWIND $links AS link
MATCH (a:Decision {uid: link.from})
MATCH (b:Decision {uid: link.to})
MERGE (a)-[r:$(link.type)]->(b)
ON CREATE SET r.weight = link.weight, r.context = link.context, r.created_at = now, r.created_by = 'import'
RETURN sum(CASE WHEN r.created_at = now AND r.created_by = 'import' THEN 1 ELSE 0 END) AS created
