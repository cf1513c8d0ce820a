// name: a regular expression of Lucene's
// word: '/(a|b)*c.{1,200}d.{1,200}/'
CALL db.index.fulltext.queryNodes('decision_text', '/(a|b)*c.{1,200}d.{1,200}/') YIELD node RETURN node.id
// ---
// params: {"q": "cache /.*.*.*x/"}
// word: $
CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node RETURN node.id
// ---
// name: in a field, in brackets
CALL db.index.fulltext.queryNodes('decision_text', 'summary:(cache /c.*/)') YIELD node RETURN node.id
// ---
// name: of relationships
CALL db.index.fulltext.queryRelationships('relation_text', '/w.*y/') YIELD relationship RETURN type(relationship)
// ---
// name: a leading wildcard
CALL db.index.fulltext.queryNodes('decision_text', '*ache') YIELD node RETURN node.id
// ---
CALL db.index.fulltext.queryNodes('decision_text', 'use ?ache') YIELD node RETURN node.id
// ---
CALL db.index.fulltext.queryNodes('decision_text', 'summary:*e') YIELD node RETURN node.id
// ---
CALL db.index.fulltext.queryNodes('decision_text', '+*e') YIELD node RETURN node.id
// ---
// name: after a blank that is none of ASCII's
CALL db.index.fulltext.queryNodes('decision_text', 'use　*e') YIELD node RETURN node.id
// ---
// name: many wildcards
CALL db.index.fulltext.queryNodes('decision_text', 'a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p*q*r*s*t*u*v*w*') YIELD node RETURN node.id
// ---
// name: fuzzy words
CALL db.index.fulltext.queryNodes('decision_text', 'cache~') YIELD node RETURN node.id
// ---
CALL db.index.fulltext.queryRelationships('relation_text', 'because~2') YIELD relationship RETURN type(relationship)
// ---
// name: a wide phrase
CALL db.index.fulltext.queryNodes('decision_text', '"the cache"~1000') YIELD node RETURN node.id
// ---
// name: deep brackets
CALL db.index.fulltext.queryNodes('decision_text', '((((((((((((((((((((((a))))))))))))))))))))))') YIELD node RETURN node.id
// ---
// name: a text that is computed
// params: {"q": "cache"}
// word: reverse
CALL db.index.fulltext.queryNodes('decision_text', reverse($q)) YIELD node RETURN node.id
// ---
MATCH (d:Decision) CALL db.index.fulltext.queryNodes('decision_text', d.summary) YIELD node RETURN node.id
// ---
WITH '/c.*/' AS q UNWIND [q, q] AS one CALL db.index.fulltext.queryNodes('decision_text', one) YIELD node RETURN node.id
// ---
// name: parts that are harmless alone
// params: {"a": "/c", "b": ".*/"}
CALL db.index.fulltext.queryNodes('decision_text', $a + $b) YIELD node RETURN node.id
// ---
// name: a Unicode escape
CALL db.index.fulltext.queryNodes('decision_text', '\u002Fc.*\u002F') YIELD node RETURN node.id
// ---
// name: arguments taken from parameters that the query does not name
// params: {"indexName": "decision_text", "queryString": "/c.*/"}
CALL db.index.fulltext.queryNodes
