MATCH p = (a:Decision)-[:RELATES_TO*]->(b:Decision) RETURN length(p) LIMIT 5
// ---
MATCH (a:Decision)-[:RELATES_TO*2]->(b) RETURN a.id, b.id
// ---
MATCH (a:Decision)-[:RELATES_TO*1..3]->(b) RETURN DISTINCT b.id
// ---
MATCH (a:Decision)-[*..2]-(b) RETURN count(*)
// ---
MATCH (a:Decision)-[*0..1]-(b) RETURN count(*)
// ---
MATCH (a:Decision)-[r:RELATES_TO|SUPERSEDES*1..2 {active: true}]->(b) RETURN [x IN r | type(x)] AS types
// ---
MATCH p = shortestPath((a:Decision {id: 'd1'})-[*..5]-(b:Decision {id: 'd3'})) RETURN [n IN nodes(p) | n.id] AS ids
// ---
MATCH p = allShortestPaths((a:Decision {id: 'd1'})-[:RELATES_TO*..5]-(b:Decision {id: 'd3'})) RETURN count(p)
// ---
MATCH (a:Decision {id: 'd1'}), (b:Decision {id: 'd2'}) RETURN length(shortestPath((a)-[*..4]-(b))) AS hops
// ---
MATCH (a:Decision {id: 'd1'}), (b:Decision {id: 'd2'}) WHERE shortestPath((a)-[*..4]-(b)) IS NOT NULL RETURN a.id
// ---
MATCH p = SHORTEST 1 (a:Decision {id: 'd1'})-[:RELATES_TO]-+(b:Decision {id: 'd3'}) RETURN length(p)
// ---
MATCH p = SHORTEST 2 PATHS (a:Decision {id: 'd1'})-[:RELATES_TO]->{1,4}(b:Decision {id: 'd3'}) RETURN length(p)
// ---
MATCH p = SHORTEST 2 GROUPS (a:Decision {id: 'd1'})-->*(b:Decision {id: 'd3'}) RETURN length(p)
// ---
MATCH p = ALL SHORTEST (a:Decision {id: 'd1'})-[:RELATES_TO]-+(b:Decision {id: 'd3'}) RETURN p
// ---
MATCH p = ANY SHORTEST (a:Decision {id: 'd1'})--+(b:Decision {id: 'd3'}) RETURN p
// ---
MATCH p = ANY 2 PATHS (a:Decision {id: 'd1'})-[:RELATES_TO]->+(b) RETURN p
// ---
MATCH ANY (a:Decision {id: 'd1'})-[:RELATES_TO]->+(b) RETURN b.id
// ---
MATCH ALL PATHS (a:Decision {id: 'd1'})-[:RELATES_TO]->(b) RETURN b.id
// ---
MATCH (a:Decision)-[:RELATES_TO]->+(b:Decision) RETURN a.id, b.id
// ---
MATCH (a:Decision)-[:RELATES_TO]->*(b:Decision) RETURN a.id, b.id
// ---
MATCH (a:Decision)-[:RELATES_TO]->{2}(b:Decision) RETURN a.id, b.id
// ---
MATCH (a:Decision)-[:RELATES_TO]->{,3}(b:Decision) RETURN a.id, b.id
// ---
MATCH (a:Decision)-[:RELATES_TO]->{1,}(b:Decision) RETURN a.id, b.id
// ---
MATCH (a:Decision {id: 'd1'}) ((x)-[r:RELATES_TO]->(y)){1,3} (b:Decision) RETURN [n IN x | n.id] AS from, [n IN y | n.id] AS to, [e IN r | e.weight] AS weights
// ---
MATCH (a:Decision) ((x)-[r:RELATES_TO]->(y) WHERE r.weight > 0.1)+ (b:Decision) RETURN size(r) AS hops, b.id
// ---
MATCH ((x:Decision)-[:RELATES_TO]->(y:Decision)){1,2} RETURN count(*)
// ---
MATCH p = (a:Agent)-[:MADE]->(:Decision) ((:Decision)-[:RELATES_TO]->(:Decision))* (:Decision)-[:TAGGED]->(t:Tag) RETURN a.name, t.name, length(p)
// ---
MATCH p = (:Decision)--(), q = (:Policy)--() RETURN length(p) + length(q) AS n LIMIT 1
// ---
MATCH p = (d:Decision)-[*1..3]->(x) UNWIND nodes(p) AS n RETURN DISTINCT labels(n) AS l
// ---
MATCH p = (d:Decision)-[*1..2]->(x) RETURN [n IN nodes(p) | coalesce(n.id, n.name)] AS names, [r IN relationships(p) | type(r)] AS types
// ---
// params: {"label": "Decision"}
MATCH (n:$($label)) RETURN count(n)
// ---
// params: {"labels": ["Decision", "Policy"]}
MATCH (n:$any($labels)) RETURN count(n)
// ---
// params: {"labels": ["Decision"]}
MATCH (n:$all($labels)) RETURN count(n)
// ---
// params: {"type": "TAGGED"}
MATCH (a)-[r:$($type)]->(b) RETURN count(r)
// ---
// live: no
MATCH (d:Decision) USING INDEX d:Decision(id) WHERE d.id = 'd1' RETURN d
// ---
// live: no
MATCH (d:Decision) USING RANGE INDEX SEEK d:Decision(id) WHERE d.id = 'd1' RETURN d
// ---
MATCH (d:Decision) USING SCAN d:Decision WHERE d.id = 'd1' RETURN d
// ---
MATCH (a:Agent)-[:MADE]->(d:Decision)-[:TAGGED]->(t:Tag) USING JOIN ON d RETURN a.name, t.name
// ---
MATCH (d:Decision)-[r:TAGGED]->(t) USING SCAN r:TAGGED RETURN count(*)
// ---
MATCH (a:Decision)-[:RELATES_TO]->(b:Decision)-[:RELATES_TO]->(c:Decision) WHERE NOT (a)-[:RELATES_TO]->(c) AND a <> c RETURN a.id, c.id
// ---
MATCH (a {id: 'd1'})-[]-({id: 'd2'}) RETURN a
// ---
MATCH (:Agent)-[:MADE]->(d), (d)-[:TAGGED]->(:Tag {name: 'ops'}), (d)<-[:MADE]-(x) RETURN d.id, x.name
// ---
MATCH (a), (b) WHERE a.score<b.score AND a.score<-1 AND a.score>-b.score RETURN count(*)
// ---
MATCH (m:Movie)<-[:ACTED_IN]-(p:Person)-[:DIRECTED]->(m) RETURN p.name, m.title
// ---
MATCH (p:Person {name: 'Ada'})-[:ACTED_IN]->(m)<-[:ACTED_IN]-(co:Person) RETURN co.name, count(m) AS films ORDER BY films DESC
