// name: words, beginnings and phrases
CALL db.index.fulltext.queryNodes('decision_text', 'cache AND number') YIELD node, score RETURN node.id, score
// ---
CALL db.index.fulltext.queryNodes('decision_text', '+cache -queue "use the" number^2 ca*e') YIELD node RETURN node.id
// ---
CALL db.index.fulltext.queryNodes('decision_text', 'summary:(cache OR "use cache"~3) num*') YIELD node RETURN node.id
// ---
// name: characters that are meant as such
CALL db.index.fulltext.queryNodes('decision_text', 'owner\\/repo "a/b*c?d~e"') YIELD node RETURN node.id
// ---
// name: all there is
CALL db.index.fulltext.queryNodes('decision_text', '*:*') YIELD node RETURN count(node) AS n
// ---
// params: {"word": "cache", "other": "number"}
CALL db.index.fulltext.queryNodes('decision_text', $word + ' AND ' + $other, {limit: 3}) YIELD node RETURN node.id
// ---
// params: {"word": "why"}
WITH $word AS q CALL db.index.fulltext.queryRelationships('relation_text', q) YIELD relationship RETURN type(relationship)
