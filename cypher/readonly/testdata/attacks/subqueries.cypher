// word: CREATE
CALL { CREATE (n) RETURN n } RETURN n
// ---
// word: CREATE
CALL () { CREATE (n) } RETURN 1
// ---
// word: SET
MATCH (n) CALL (n) { SET n.x = 1 } RETURN n
// ---
// word: DELETE
MATCH (n) CALL { WITH n DELETE n } RETURN count(*)
// ---
// word: CREATE
CALL { CALL { CALL { CREATE (n) } } } RETURN 1
// ---
// word: CREATE
CALL { RETURN 1 AS x UNION CREATE (n) RETURN 1 AS x } RETURN x
// ---
// word: DETACH
MATCH (n) OPTIONAL CALL (n) { DETACH DELETE n } RETURN 1
// ---
// word: IN
MATCH (n) CALL (n) { RETURN 1 AS x } IN TRANSACTIONS RETURN n
// ---
// word: IN
MATCH (n) CALL { WITH n RETURN 1 AS x } IN 10 CONCURRENT TRANSACTIONS OF 5 ROWS ON ERROR CONTINUE REPORT STATUS AS s RETURN n
// ---
// word: SET
MATCH (n) CALL (n) { SET n.x = 1 } IN TRANSACTIONS OF 100 ROWS
// ---
// word: DELETE
MATCH (n) WHERE EXISTS { MATCH (n) DELETE n } RETURN n
// ---
// word: CREATE
RETURN COUNT { CREATE (n) RETURN n } AS n
// ---
// word: MERGE
RETURN COLLECT { MERGE (n:Evil) RETURN n } AS n
// ---
// word: SET
MATCH (n) RETURN [x IN [1] WHERE EXISTS { MATCH (n) SET n.x = 1 } | x]
// ---
// word: SET
MATCH (n) RETURN CASE WHEN EXISTS { MATCH (n) SET n.x = 1 RETURN n } THEN 1 END
// ---
// word: SET
MATCH (n) RETURN reduce(a = 0, x IN [1] | a + COUNT { MATCH (n) SET n.x = 1 RETURN n })
// ---
// word: CREATE
MATCH (n {x: COUNT { CREATE (m) RETURN m }}) RETURN n
// ---
// word: CREATE
MATCH (n WHERE EXISTS { CREATE (m) }) RETURN n
// ---
// word: CREATE
MATCH (a)-[r WHERE EXISTS { CREATE (m) }]->() RETURN a
// ---
// word: CREATE
RETURN {a: [COUNT { CREATE (m) }]} AS x
// ---
// word: CREATE
RETURN [(a)-->(b) WHERE EXISTS { CREATE (m) } | a]
// ---
// word: CREATE
UNWIND COLLECT { CREATE (m) RETURN m } AS x RETURN x
// ---
// word: CREATE
RETURN 1 LIMIT COUNT { CREATE (m) RETURN m }
// ---
// word: CREATE
RETURN 1 AS x ORDER BY COUNT { CREATE (m) RETURN m }
// ---
// word: CREATE
CALL db.index.fulltext.queryNodes('x', COLLECT { CREATE (n) RETURN 'x' }[0]) YIELD node RETURN node
// ---
// word: CREATE
SHOW INDEXES WHERE EXISTS { CREATE (n) }
// ---
// word: CREATE
MATCH (n:$(COLLECT { CREATE (m) RETURN 'A' }[0])) RETURN n
// ---
// word: USE
CALL { USE system MATCH (n) RETURN n } RETURN n
// ---
// word: USE
MATCH (n) WHERE EXISTS { USE other MATCH (m) RETURN m } RETURN n
// ---
// word: LOAD
CALL { LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line } RETURN line
// ---
// word: apoc.create.node
CALL { CALL apoc.create.node(['A'], {}) YIELD node RETURN node } RETURN node
