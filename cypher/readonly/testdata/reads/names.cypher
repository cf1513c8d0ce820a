// name: keywords as labels and types
MATCH (n:Match:Create)-[:SET|DELETE|MERGE]->(m:Return) RETURN n, m
// ---
MATCH (n:Order)-[:CONTAINS]->(m:Index) RETURN n, m
// ---
MATCH (n:Set {delete: 1, create: 'x', merge: true}) RETURN n.remove, n.set, n.drop
// ---
MATCH (start)-[end]->(set) RETURN start, end, set LIMIT 1
// ---
MATCH (start:Decision)-[:RELATES_TO*1..3]->(end:Decision) RETURN start.id, end.id
// ---
WITH {create: 1, delete: 2, call: 3, load: 4, use: 5} AS m RETURN m.create + m.delete AS total, m.call, m.load, m.use
// ---
RETURN {match: 1, where: 2, in: 3, null: 4, order: 5, case: 6}.case AS six
// ---
RETURN 'CREATE (n) DELETE n' AS text, "SET n.x = 1; DROP INDEX foo" AS other
// ---
MATCH (d:Decision) WHERE d.summary CONTAINS 'DETACH DELETE' RETURN d
// ---
RETURN 'it\'s' AS a, "say \"hi\"" AS b, 'back\\slash' AS c, 'tab\there' AS d
// ---
RETURN 'a // b' AS a, 'c /* d */' AS b, "`e`" AS c
// ---
RETURN 'C:\\Users\\me' AS path
// ---
RETURN 'caf\u00e9' AS coffee, '\u4e2d\u6587' AS chinese
// ---
RETURN 'emoji 🎬 and ünïcödé and עברית' AS text
// ---
// a comment first
RETURN 1 AS x
// ---
/* a comment
   over two lines, with CREATE and DELETE and ; in it */
MATCH (n:Decision) RETURN n.id // and one at the end: DROP DATABASE neo4j
// ---
MATCH /* the node */ (n /* name */ :Decision /* label */ ) RETURN /* what */ n.id /* the end */
// ---
MATCH (n:Decision) // SET n.x = 1
WHERE n.confidence > 0 // DELETE n
RETURN n.id
// ---
RETURN 1 /* a /* b */ AS x
// ---
RETURN 1 /**/ AS x // it's "unbalanced' `here
// ---
WITH 1 AS create, 2 AS delete RETURN create + delete AS merge
// ---
WITH 1 AS count, 2 AS type RETURN count + type AS total
// ---
WITH [1, 2, 3] AS count RETURN count[0] AS first, [count IN count | count + 1] AS next
// ---
WITH {a: 1} AS collect RETURN collect {.a} AS m, collect.a AS a
// ---
MATCH (n:Decision) RETURN n.id AS `the id`, n.`summary` AS `SET`
// ---
MATCH (`n`:`Decision`)-[`r`:`TAGGED`]->(`t`) RETURN `n`.`id`, `t`.name
// ---
WITH 1 AS `a``b` RETURN `a``b` AS x
// ---
// params: {"p": 1}
RETURN $`p` AS x, $p AS y
// ---
// params: {"1": "x"}
RETURN $1 AS first
// ---
// params: {"match": 1, "create": 2}
RETURN $match AS m, $create AS c
// ---
WITH 1 AS größe, 2 AS 名前 RETURN größe + 名前 AS übersicht
// ---
MATCH (n:Décision {prénom: 'Zoé'}) RETURN n.prénom
// ---
MATCH (n) WHERE n.where = 1 AND n.in IS NULL AND n.not IS NULL RETURN n.null
// ---
MATCH (n:Decision) RETURN n.id AS set, n.stakes AS remove ORDER BY remove
// ---
MATCH (exists:Policy) RETURN exists.name AS all, exists.mode AS any
// ---
WITH 1 AS range, 2 AS reduce RETURN range, reduce
// ---
MATCH (index:Policy)-[on:USES_THRESHOLD]->(to:Threshold) RETURN index.name, to.name
// ---
WITH 1 AS match MATCH (where:Tag) WHERE where.name = 'x' RETURN match, where
// ---
MATCH (n:`CREATE (x)`) RETURN n.`DELETE n` AS `DROP INDEX x`
// ---
RETURN "two
lines" AS text
// ---
UNWIND [1] AS in RETURN in
// ---
MATCH (user:Agent)-[using:MADE]->(filter:Decision) RETURN user.name, filter.id AS next
// ---
MATCH (load:Decision) WITH load AS drop, load.id AS alter RETURN drop, alter
// ---
MATCH (n:Decision) RETURN n.start AS start, n.stop AS stop, n.grant AS grant, n.use AS use, n.show AS show
// ---
EXPLAIN MATCH (n:Decision) RETURN n
// ---
PROFILE MATCH (n:Decision) RETURN n.id
// ---
/* why */ explain // slow
MATCH (n) RETURN n
// ---
CYPHER 5 MATCH (n:Decision) RETURN n.id
// ---
CYPHER 5 EXPLAIN MATCH (n) RETURN n
// ---
EXPLAIN CYPHER 5 RETURN 1
// ---
MATCH (n:Decision) RETURN n.id;
// ---
MATCH (n:Decision) RETURN n.id ; // done
// ---
MATCH (n:Decision)
RETURN n.id AS x
;

// ---
	MATCH	(n:Decision)
	RETURN	n.id
