// Links decisions as $links [{from, to, type, weight, context}] say, sorted by their ends, where they are not linked so already.
WITH datetime() AS now
UNWIND $links AS link
MATCH (a:Decision {uid: link.from})
MATCH (b:Decision {uid: link.to})
MERGE (a)-[r:$(link.type)]->(b)
ON CREATE SET r.weight = link.weight, r.context = link.context, r.created_at = now, r.created_by = 'import'
RETURN sum(CASE WHEN r.created_at = now AND r.created_by = 'import' THEN 1 ELSE 0 END) AS created
