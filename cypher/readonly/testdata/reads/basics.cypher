RETURN 1
// ---
RETURN 1 AS one;
// ---
MATCH (n) RETURN count(n) AS nodes
// ---
MATCH (p:Policy) RETURN p.name AS name ORDER BY name LIMIT 10
// ---
match (p:Policy) return p.name as name order by name desc limit 5
// ---
MATCH (p:Policy {active: true}) RETURN p
// ---
// params: {"name": "claim_promotion_confidence"}
MATCH (t:Threshold {name: $name}) RETURN t.value AS value
// ---
// name: a parameter for LIMIT stays a whole number
// params: {"n": 5}
MATCH (d:Decision) RETURN d.id ORDER BY d.created_at DESC LIMIT $n
// ---
// params: {"skip": 2, "limit": 3}
MATCH (d:Decision) RETURN d.id AS id ORDER BY id SKIP $skip LIMIT $limit
// ---
MATCH (d:Decision) RETURN d.id AS id ORDER BY id OFFSET 1 LIMIT 2
// ---
MATCH (d:Decision) RETURN d.id ORDER BY d.confidence DESCENDING, d.id ASCENDING
// ---
MATCH (d:Decision) WHERE d.stakes = 'high' AND d.confidence >= 0.5 RETURN d.summary
// ---
MATCH (d:Decision) WHERE d.stakes IN ['high', 'critical'] RETURN DISTINCT d.category
// ---
MATCH (d:Decision) WHERE NOT d.stakes IN ["low"] OR d.confidence < .5 RETURN count(*) AS n
// ---
MATCH (d:Decision) WHERE d.summary STARTS WITH 'Use' RETURN d.id
// ---
MATCH (d:Decision) WHERE d.summary ENDS WITH 'cache' RETURN d.id
// ---
// params: {"q": "Cache"}
MATCH (d:Decision) WHERE toLower(d.summary) CONTAINS toLower($q) RETURN d.id
// ---
MATCH (d:Decision) WHERE d.outcome IS NULL RETURN d.id
// ---
MATCH (d:Decision) WHERE d.outcome IS NOT NULL XOR d.confidence > 0.9 RETURN d.id
// ---
MATCH (d:Decision) WHERE 0.2 < d.confidence <= 0.8 RETURN d.id, d.confidence
// ---
MATCH (d:Decision) WHERE d.confidence <> 0.5 AND NOT (d.stakes = 'low' OR d.stakes = 'medium') RETURN d
// ---
MATCH (a:Agent)-[:MADE]->(d:Decision) RETURN a.name, count(d) AS decisions ORDER BY decisions DESC
// ---
MATCH (a:Agent)-[m:MADE]->(d:Decision)-[:TAGGED]->(t:Tag) RETURN a.name, type(m), d.id, t.name
// ---
MATCH (t:Tag)<-[:TAGGED]-(d:Decision)<-[:MADE]-(a:Agent) RETURN t.name AS tag, collect(DISTINCT a.name) AS agents
// ---
MATCH (d:Decision)--(x) RETURN d.id, labels(x) AS labels
// ---
MATCH (d:Decision)-->(x) RETURN d.id, count(x)
// ---
MATCH (d:Decision)<--(x) RETURN d.id, count(*)
// ---
MATCH (a)<-->(b) RETURN count(*) AS pairs
// ---
MATCH (d:Decision)-[r]-(x) RETURN type(r) AS type, count(*) AS n ORDER BY n DESC
// ---
MATCH (d:Decision)-[r:TAGGED|RELATES_TO]->(x) RETURN d.id, type(r), x
// ---
MATCH (d:Decision) - [ r : TAGGED ] - > ( t : Tag ) RETURN d.id , t.name
// ---
MATCH (a:Agent), (t:Tag) RETURN a.name, t.name LIMIT 10
// ---
OPTIONAL MATCH (p:Policy {name: 'absent'}) RETURN p
// ---
MATCH (d:Decision) OPTIONAL MATCH (d)-[:HAS_REVIEW]->(r:Review) RETURN d.id, r.outcome
// ---
MATCH (d:Decision) OPTIONAL MATCH (d)-[:TAGGED]->(t) WHERE t.name <> 'x' RETURN d.id, collect(t.name) AS tags
// ---
WITH 1 AS x RETURN x
// ---
WITH 1 AS x, 2 AS y WITH x + y AS z WHERE z > 2 RETURN z
// ---
// params: {"x": 21}
WITH $x AS x RETURN x * 2 AS twice
// ---
UNWIND [1, 2, 3] AS x RETURN x
// ---
// params: {"names": ["a", "b"]}
UNWIND $names AS name OPTIONAL MATCH (t:Tag {name: name}) RETURN name, t IS NOT NULL AS present
// ---
UNWIND [[1, 2], [3]] AS xs UNWIND xs AS x RETURN sum(x) AS total
// ---
// params: {"rows": [{"id": "d1", "w": 2}, {"id": "d2", "w": 3}]}
UNWIND $rows AS row MATCH (d:Decision {id: row.id}) RETURN d.id, row.w AS weight
// ---
MATCH (d:Decision) WITH d.category AS category, avg(d.confidence) AS mean WHERE mean > 0.1 RETURN category, mean
// ---
MATCH (d:Decision) WITH d ORDER BY d.confidence DESC LIMIT 3 RETURN collect(d.id) AS top
// ---
MATCH (d:Decision) WITH DISTINCT d.category AS c ORDER BY c RETURN collect(c) AS categories
// ---
MATCH (d:Decision) WITH *, d.confidence AS c WHERE c > 0 RETURN *
// ---
MATCH (d:Decision) RETURN *
// ---
MATCH (d:Decision) RETURN *, d.id AS id
// ---
MATCH (p:Policy) RETURN p.name AS name UNION MATCH (t:Threshold) RETURN t.name AS name
// ---
MATCH (p:Policy) RETURN p.name AS name UNION ALL MATCH (t:Threshold) RETURN t.name AS name
// ---
RETURN 1 AS x UNION DISTINCT RETURN 2 AS x
// ---
RETURN 1 AS x UNION RETURN 2 AS x UNION RETURN 3 AS x
// ---
MATCH (n:Decision:Reviewed) RETURN n.id
// ---
MATCH (n:Decision&Reviewed) RETURN n.id
// ---
MATCH (n:Decision|Policy) RETURN labels(n)[0] AS label, count(*) AS n
// ---
MATCH (n:!Decision) RETURN count(n)
// ---
MATCH (n:(Decision|Policy)&!Reviewed) RETURN count(n)
// ---
MATCH (n:%) RETURN count(n)
// ---
MATCH (n IS Decision) RETURN n.id
// ---
MATCH (n) WHERE n IS Decision|Policy RETURN count(*)
// ---
MATCH (n) WHERE n:Decision OR n:Policy RETURN n
// ---
MATCH (n) RETURN n:Decision AS isDecision, count(*) AS n
// ---
MATCH ()-[r:!TAGGED]->() RETURN type(r), count(*)
// ---
MATCH (d:Decision WHERE d.confidence > 0.5) RETURN d.id
// ---
MATCH (d:Decision)-[r:RELATES_TO WHERE r.weight > 0.5]->(e:Decision {stakes: 'high'} WHERE e.id <> 'd9') RETURN d.id, e.id
// ---
MATCH (d:Decision {id: 'd1', stakes: "high"}) RETURN d.id
// ---
MATCH (n) RETURN id(n) AS old, elementId(n) AS now LIMIT 1
// ---
// params: {"id": "4:x:1"}
MATCH (n) WHERE elementId(n) = $id RETURN n
// ---
FINISH
// ---
MATCH (n:Decision) FINISH
// ---
LIMIT 1 RETURN 1 AS x
// ---
MATCH (d:Decision) ORDER BY d.id LIMIT 2 RETURN d.id
// ---
UNWIND [3, 1, 2] AS x ORDER BY x SKIP 1 RETURN x
