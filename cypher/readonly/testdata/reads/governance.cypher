// name: policies and the thresholds they use
MATCH (p:SYS_Policy) WHERE coalesce(p.active, true)
OPTIONAL MATCH (p)-[:USES_THRESHOLD]->(t:SYS_Threshold)
RETURN p.name AS policy, collect({name: t.name, value: t.value}) AS thresholds
ORDER BY policy
// ---
// name: three failures on high stakes in a day
// params: {"agent": "ada", "hours": 24}
MATCH (a:Agent {name: $agent})-[:MADE]->(d:Decision {stakes: 'high', outcome: 'failure'})
WHERE d.created_at > datetime() - duration({hours: $hours})
WITH count(d) AS failures WHERE failures >= 3
RETURN failures
// ---
// name: decisions that nothing supersedes, with reasons
MATCH (d:Decision)
WHERE NOT EXISTS { (:Decision)-[:SUPERSEDES]->(d) }
OPTIONAL MATCH (d)-[b:BECAUSE]->(r:Reason)
WITH d, r ORDER BY b.position
RETURN d.id, collect(r.text) AS reasons
// ---
// name: calibration in ten bins
MATCH (d:Decision) WHERE d.outcome IS NOT NULL
WITH toInteger(floor(d.confidence * 10)) AS bin, d
RETURN bin, count(*) AS n, avg(CASE d.outcome WHEN 'success' THEN 1.0 ELSE 0.0 END) AS rate, avg(d.confidence) AS stated
ORDER BY bin
// ---
// name: Brier score for each agent
MATCH (a:Agent)-[:MADE]->(d:Decision) WHERE d.outcome IN ['success', 'failure']
WITH a, d.confidence AS p, CASE d.outcome WHEN 'success' THEN 1.0 ELSE 0.0 END AS o
RETURN a.name AS agent, round(avg((p - o) ^ 2), 4) AS brier, count(*) AS n
// ---
// name: the chain of what a decision depends on
// params: {"id": "d1"}
MATCH path = (d:Decision {id: $id})-[:DEPENDS_ON|RELATES_TO*0..4]->(root)
WHERE NOT (root)-[:DEPENDS_ON]->()
RETURN [n IN nodes(path) | n.id] AS chain, length(path) AS depth
ORDER BY depth DESC LIMIT 20
// ---
// name: contradictions both ways
MATCH (a:Decision)-[c:CONTRADICTS]-(b:Decision) WHERE a.id < b.id
RETURN a.id, b.id, c.context
// ---
// name: tags that go together
MATCH (x:Tag)<-[:TAGGED]-(d:Decision)-[:TAGGED]->(y:Tag) WHERE x.name < y.name
RETURN x.name, y.name, count(d) AS together ORDER BY together DESC LIMIT 10
// ---
// name: exact cosine over a few candidates
// params: {"category": "architecture", "v": [0.1, 0.2, 0.3]}
MATCH (d:Decision) WHERE d.category = $category AND d.vector IS NOT NULL
WITH d, vector.similarity.cosine(d.vector, $v) AS score
WHERE score > 0.5 RETURN d.id, score ORDER BY score DESC LIMIT 10
// ---
// name: reciprocal rank fusion of two lists
// params: {"words": ["d1", "d2"], "vectors": ["d2", "d3"]}
UNWIND [{ids: $words, k: 60}, {ids: $vectors, k: 60}] AS list
UNWIND range(0, size(list.ids) - 1) AS rank
WITH list.ids[rank] AS id, sum(1.0 / (list.k + rank + 1)) AS score
RETURN id, score ORDER BY score DESC LIMIT 10
// ---
// name: a rule that forbids approving without a review
// params: {"stakes": "high"}
MATCH (d:Decision {stakes: $stakes}) WHERE NOT (d)-[:HAS_REVIEW]->(:Review)
RETURN d.id AS violating, 'no review' AS why
// ---
// name: the first row that matches in a decision table
// params: {"table": "promotion", "confidence": 0.8}
MATCH (:SYS_DecisionTable {name: $table})-[:HAS_ROW]->(row:SYS_DecisionRow)
WHERE row.low <= $confidence < row.high
RETURN row.outcome ORDER BY row.position LIMIT 1
// ---
// name: events of a session as a chain
// params: {"session": "s1"}
MATCH (s:Session {id: $session})-[:RECORDED]->(e:TraceEvent)
WITH e ORDER BY e.seq WITH collect(e) AS events
RETURN all(i IN range(1, size(events) - 1) WHERE events[i].prev_hash = events[i - 1].hash) AS intact
// ---
// name: activity by day
MATCH (d:Decision)
RETURN date(d.created_at) AS day, count(*) AS n, collect(DISTINCT d.category) AS categories ORDER BY day
// ---
// name: weeks without a decision
UNWIND range(0, 11) AS w
WITH date.truncate('week', date()) - duration({weeks: w}) AS week
OPTIONAL MATCH (d:Decision) WHERE date.truncate('week', date(d.created_at)) = week
WITH week, count(d) AS n WHERE n = 0 RETURN week
// ---
// name: agents ranked against the mean
MATCH (a:Agent)-[:MADE]->(d:Decision)
WITH a, avg(d.confidence) AS mine
WITH collect({name: a.name, mine: mine}) AS rows, avg(mine) AS mean
UNWIND rows AS row
RETURN row.name AS agent, row.mine - mean AS above ORDER BY above DESC
// ---
// name: the newest decision in each category
MATCH (d:Decision)
WITH d ORDER BY d.created_at DESC
WITH d.category AS category, collect(d)[0] AS newest
RETURN category, newest.id, newest.summary
// ---
// name: nested result for a page
MATCH (a:Agent)
RETURN a {.name, decisions: [(a)-[:MADE]->(d:Decision) | d {.id, .summary, tags: [(d)-[:TAGGED]->(t) | t.name]}]} AS agent
// ---
// name: movies and their casts
MATCH (m:Movie) OPTIONAL MATCH (m)<-[r:ACTED_IN]-(p:Person)
WITH m, collect(p {.name, roles: r.roles}) AS cast
RETURN m.title AS title, m.released AS year, cast ORDER BY year DESC, title LIMIT 25
// ---
// name: recommendations by shared films
// params: {"name": "Ada"}
MATCH (me:Person {name: $name})-[:ACTED_IN]->(:Movie)<-[:ACTED_IN]-(other)-[:ACTED_IN]->(m:Movie)
WHERE NOT (me)-[:ACTED_IN]->(m)
RETURN m.title, count(DISTINCT other) AS weight ORDER BY weight DESC LIMIT 5
// ---
// name: nodes of each label
MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) AS n ORDER BY n DESC
// ---
// name: property keys of each label
MATCH (d:Decision) UNWIND keys(d) AS key RETURN key, count(*) AS n, collect(DISTINCT valueType(d[key]))[..3] AS types ORDER BY key
// ---
// name: isolated nodes
MATCH (n) WHERE NOT (n)--() RETURN labels(n) AS labels, count(*) AS n
// ---
// name: degree histogram
MATCH (d:Decision) WITH COUNT { (d)--() } AS degree RETURN degree, count(*) AS n ORDER BY degree
// ---
// name: values outside two deviations
MATCH (d:Decision) WITH avg(d.confidence) AS mean, stDev(d.confidence) AS s
MATCH (d:Decision) WHERE abs(d.confidence - mean) > 2 * s
RETURN d.id, d.confidence
// ---
// name: running total
MATCH (d:Decision) WITH d ORDER BY d.id WITH collect(d.score) AS scores
RETURN [i IN range(0, size(scores) - 1)[..100] | reduce(t = 0, x IN scores[0..100] | t + x)] AS totals
// ---
// name: two thresholds of one name
MATCH (t:SYS_Threshold) WITH t.name AS name, collect(t) AS same WHERE size(same) > 1
RETURN name, [t IN same | t.value] AS values
// ---
// name: a page of search results with a total
// params: {"q": "cache", "from": 0, "n": 10}
CALL { MATCH (d:Decision) WHERE toLower(d.summary) CONTAINS $q RETURN count(d) AS total }
MATCH (d:Decision) WHERE toLower(d.summary) CONTAINS $q
RETURN total, d.id, d.summary ORDER BY d.created_at DESC SKIP $from LIMIT $n
// ---
// name: distances
WITH point({latitude: 52.5, longitude: 13.4}) AS here
MATCH (p:Place) WHERE point.distance(p.location, here) < 10000
RETURN p.name, round(point.distance(p.location, here) / 1000, 1) AS km ORDER BY km
// ---
// name: what changed between two revisions
// params: {"from": "a", "to": "b"}
MATCH (:SYS_Revision {hash: $from})-[:INCLUDES]->(v) WITH collect(v.name) AS before
OPTIONAL MATCH (:SYS_Revision {hash: $to})-[:INCLUDES]->(w) WITH before, collect(w.name) AS after
RETURN [x IN after WHERE NOT x IN before] AS added, [x IN before WHERE NOT x IN after] AS removed
// ---
// name: key and value pairs of a node
MATCH (p:SYS_Policy) RETURN p.name, [k IN keys(p) WHERE k <> 'name' | k + '=' + toString(p[k])] AS facts
// ---
// name: initials
MATCH (p:Person) RETURN p.name, reduce(s = '', w IN split(p.name, ' ') | s + left(w, 1)) AS initials
// ---
// name: the words of a summary, counted
MATCH (d:Decision) UNWIND split(toLower(replace(replace(d.summary, ',', ' '), '.', ' ')), ' ') AS word
WITH word WHERE size(word) > 3 RETURN word, count(*) AS n ORDER BY n DESC LIMIT 20
// ---
// name: sum of a map's values
WITH {a: 1, b: 2} AS m RETURN reduce(s = 0, k IN keys(m) | s + m[k]) AS total
// ---
// name: generated calendar
UNWIND range(0, 30) AS i WITH date('2024-01-01') + duration({days: i}) AS day
RETURN day, day.dayOfWeek AS weekday, day.week AS week
// ---
// name: the same question with EXPLAIN
EXPLAIN MATCH (p:SYS_Policy)-[:USES_THRESHOLD]->(t) RETURN p.name, t.value
