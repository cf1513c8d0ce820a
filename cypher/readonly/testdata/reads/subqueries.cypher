CALL { RETURN 1 AS x } RETURN x
// ---
CALL { MATCH (d:Decision) RETURN d UNION MATCH (d:Policy) RETURN d } RETURN count(d) AS n
// ---
MATCH (a:Agent) CALL { WITH a MATCH (a)-[:MADE]->(d) RETURN count(d) AS n } RETURN a.name, n
// ---
MATCH (a:Agent) CALL (a) { MATCH (a)-[:MADE]->(d) RETURN d ORDER BY d.confidence DESC LIMIT 2 } RETURN a.name, d.id
// ---
MATCH (a:Agent), (t:Tag) CALL (a, t) { RETURN a.name + t.name AS both } RETURN both
// ---
MATCH (a:Agent) CALL (*) { RETURN a.name AS x } RETURN x
// ---
CALL () { RETURN 1 AS x } RETURN x
// ---
MATCH (a:Agent) OPTIONAL CALL (a) { MATCH (a)-[:MADE]->(d {id: 'none'}) RETURN d } RETURN a.name, d
// ---
CALL { CALL { RETURN 1 AS x } RETURN x AS y } RETURN y
// ---
UNWIND [1, 2, 3] AS x CALL (x) { UNWIND range(1, x) AS y RETURN sum(y) AS s } RETURN x, s
// ---
MATCH (d:Decision) WHERE EXISTS { (d)-[:TAGGED]->(:Tag) } RETURN d.id
// ---
MATCH (d:Decision) WHERE EXISTS { MATCH (d)-[:TAGGED]->(t) WHERE t.name = 'ops' } RETURN d.id
// ---
MATCH (d:Decision) WHERE NOT exists { (d)<-[:SUPERSEDES]-() } RETURN d.id
// ---
MATCH (d:Decision) WHERE EXISTS { MATCH (d)-[:TAGGED]->(t) RETURN t UNION MATCH (d)-[:HAS_REVIEW]->(t) RETURN t } RETURN d.id
// ---
MATCH (d:Decision) WHERE EXISTS { MATCH (d)--(x) WHERE EXISTS { MATCH (x)--(y) WHERE y <> d } } RETURN d.id
// ---
MATCH (d:Decision) RETURN d.id, COUNT { (d)-[:TAGGED]->() } AS tags ORDER BY tags DESC
// ---
MATCH (d:Decision) WHERE COUNT { (d)-->() WHERE d.confidence > 0 } > 1 RETURN d.id
// ---
RETURN COUNT { MATCH (d:Decision) RETURN d } AS n
// ---
RETURN COUNT { MATCH (d:Decision) RETURN DISTINCT d.category } AS categories
// ---
MATCH (d:Decision) RETURN d.id, COLLECT { MATCH (d)-[:TAGGED]->(t) RETURN t.name ORDER BY t.name } AS tags
// ---
RETURN COLLECT { UNWIND range(1, 5) AS x RETURN x * x } AS squares
// ---
MATCH (d:Decision) WITH d, COLLECT { MATCH (d)--(x) RETURN x } AS near RETURN d.id, size(near) AS n, [x IN near | labels(x)] AS l
// ---
MATCH (d:Decision) RETURN CASE WHEN EXISTS { (d)-[:HAS_REVIEW]->() } THEN 'reviewed' ELSE 'open' END AS state, count(*)
// ---
// live: no
MATCH (d:Decision) WHERE EXISTS { WITH d MATCH (d)-[:TAGGED]->(t) RETURN t } RETURN d.id
// ---
MATCH (d:Decision) RETURN EXISTS { p = (d)-[:RELATES_TO]->() } AS related
// ---
MATCH (d:Decision) CALL (d) { MATCH (d)-[:TAGGED]->(t) RETURN collect(t.name) AS tags } CALL (d) { MATCH (d)--() RETURN count(*) AS degree } RETURN d.id, tags, degree
// ---
MATCH (p:Policy) CALL (p) { OPTIONAL MATCH (p)-[:USES_THRESHOLD]->(t) RETURN collect(t {.name, .value}) AS thresholds } RETURN p {.name, thresholds}
// ---
MATCH (d:Decision) WHERE ((d)-->() OR (d.confidence > 1)) AND ((((d.id)))) IS NOT NULL RETURN d.id
// ---
CALL { UNWIND [1, 2] AS x RETURN x UNION ALL UNWIND [3] AS x RETURN x } WITH x ORDER BY x DESC RETURN collect(x) AS xs
