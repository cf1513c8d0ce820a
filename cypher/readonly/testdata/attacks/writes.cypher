// word: CREATE
CREATE (n:Evil)
// ---
// word: create
create (n)
// ---
// word: CREATE
MATCH (n) CREATE (m) RETURN m
// ---
// word: MERGE
MERGE (n:Evil {id: 1}) RETURN n
// ---
// word: MERGE
MATCH (n) MERGE (n)-[:X]->(m) ON CREATE SET m.x = 1 ON MATCH SET m.x = 2
// ---
// word: SET
MATCH (n) SET n.x = 1
// ---
// word: SET
MATCH (n) SET n += {x: 1} RETURN n
// ---
// word: SET
MATCH (n) SET n:Evil
// ---
// word: sEt
MATCH (n) WHERE n.id = 1 sEt n.x = 1 RETURN n
// ---
// word: REMOVE
MATCH (n) REMOVE n.x RETURN n
// ---
// word: REMOVE
MATCH (n) REMOVE n:Label
// ---
// word: DELETE
MATCH (n) DELETE n
// ---
// word: DETACH
MATCH (n) DETACH DELETE n
// ---
// word: NODETACH
MATCH (n) NODETACH DELETE n
// ---
// word: FOREACH
FOREACH (x IN [1, 2] | CREATE ())
// ---
// word: FOREACH
MATCH p = ()--() FOREACH (n IN nodes(p) | SET n.x = 1)
// ---
// word: INSERT
INSERT (n:Evil)
// ---
// word: INSERT
MATCH (n) INSERT (n)-[:X]->()
// ---
// word: DELETE
WITH 1 AS x MATCH (n) DELETE n
// ---
// word: SET
UNWIND [1] AS x MATCH (n) SET n.x = x
// ---
// word: CREATE
UNWIND $rows AS row CREATE (n) SET n = row
// ---
// word: DELETE
OPTIONAL MATCH (n) DELETE n
// ---
// word: CREATE
RETURN 1 AS x UNION CREATE (n) RETURN 1 AS x
// ---
// word: SET
WITH * SET n.x = 1
// ---
// word: DELETE
MATCH (n) WITH n ORDER BY n.x DESC DELETE n
// ---
// word: DELETE
MATCH (n) WITH n LIMIT 1 DELETE n
// ---
// word: DELETE
MATCH (n) WITH n SKIP 1 LIMIT 1 DELETE n
// ---
// word: SET
MATCH (n) WITH n WHERE n.x = 1 SET n.y = 2
// ---
// word: SET
MATCH (n) WITH n AS set SET set.x = 1
// ---
// word: delete
MATCH (delete) delete delete
// ---
// word: MERGE
MATCH (merge) WITH merge MERGE (merge)-[:X]->()
// ---
// word: REMOVE
MATCH (n:Remove) WHERE n.remove = 'remove' REMOVE n.remove
// ---
// word: SET
MATCH (n) USING INDEX n:A(x) WHERE n.x = 1 SET n.y = 1
// ---
// word: CREATE
CALL db.labels() YIELD label CREATE (n {name: label})
// ---
// word: CREATE
CALL db.labels() CREATE (n)
// ---
// word: SET
MATCH (n) RETURN n SET n.x = 1
// ---
// word: CREATE
RETURN 1 CREATE (n)
// ---
// word: CREATE
FINISH CREATE (n)
// ---
// word: DELETE
MATCH (a)-[r]->(b) WHERE r.x IS NULL DELETE r
// ---
// word: DELETE
MATCH (n) WHERE n:A DELETE n
// ---
// word: DELETE
MATCH (n) WHERE n IS :: NODE DELETE n
// ---
// word: DELETE
MATCH (n) WHERE n IS NOT NULL DELETE n
// ---
// word: DELETE
MATCH (n) WHERE (n)--() DELETE n
// ---
// word: DELETE
MATCH (n) WHERE n.x = $x DELETE n
// ---
// word: DELETE
MATCH (n) WHERE n.x =~ 'a' DELETE n
// ---
// word: SET
MATCH (n) WITH n, CASE WHEN true THEN 1 END AS x SET n.x = x
// ---
// word: SET
MATCH (n) WITH n {.*} AS m, n SET n = m
// ---
// word: CREATE
MATCH ((a)-->(b)){1,3} CREATE (c)
// ---
// word: CREATE
MATCH p = SHORTEST 1 (a)--+(b) CREATE (c)
// ---
// word: create
MATCH (n) WHERE create (m) RETURN n
// ---
// word: delete
RETURN delete(1)
// ---
// name: a clause in the place of a variable
// word: n
MATCH (n) WHERE SET n.x = 1 RETURN n
// ---
// word: n
MATCH (n) WITH n ORDER BY REMOVE n.x
// ---
// word: DELETE
MATCH (n) WHERE DETACH DELETE n
// ---
MATCH (a), CREATE (b) RETURN a
// ---
MATCH (a) WITH a, MERGE (b) RETURN a
