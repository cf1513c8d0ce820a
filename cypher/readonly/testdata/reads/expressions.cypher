RETURN 1 + 2 * 3 - 4 / 2 % 3 ^ 2 AS n
// ---
RETURN -1 AS a, +1 AS b, -(-1) AS c, - 5 AS d, 2 - -2 AS e
// ---
RETURN 0xFF AS hex, 0o17 AS octal, 1_000_000 AS big, 1e3 AS a, 1.5e-3 AS b, .5 AS c
// ---
RETURN 9223372036854775807 AS max, -9223372036854775807 AS min
// ---
RETURN true AND false OR NOT true XOR false AS b
// ---
RETURN NOT NOT true AS t
// ---
RETURN null IS NULL AS a, null = null AS b, 1 IN [1, null] AS c
// ---
RETURN 'a' + 'b' AS ab, 'a' || 'b' AS ba, [1] + [2] AS l, [1] || [2] AS m, [1, 2] + 3 AS n
// ---
RETURN [1, 2, 3][0] AS a, [1, 2, 3][-1] AS b, [1, 2, 3][0..2] AS c, [1, 2, 3][1..] AS d, [1, 2, 3][..-1] AS e
// ---
RETURN {a: 1, b: {c: [1, 2, {d: 3}]}}.b.c[2].d AS deep
// ---
// params: {"key": "b"}
WITH {a: 1, b: 2} AS m RETURN m['a'] AS a, m[$key] AS b, keys(m) AS keys
// ---
RETURN CASE WHEN 1 < 2 THEN 'yes' ELSE 'no' END AS simple
// ---
MATCH (d:Decision) RETURN CASE d.stakes WHEN 'low' THEN 1 WHEN 'medium' THEN 2 WHEN 'high' THEN 3 ELSE 4 END AS rank, d.id
// ---
MATCH (d:Decision) RETURN CASE WHEN d.confidence > 0.8 THEN 'sure' WHEN d.confidence > 0.5 THEN 'likely' ELSE 'unsure' END AS band, count(*) AS n
// ---
RETURN CASE 5 WHEN < 3 THEN 'small' WHEN > 4, 9 THEN 'large' WHEN IS NULL THEN 'none' END AS size
// ---
MATCH (d:Decision) RETURN sum(CASE WHEN d.outcome = 'success' THEN 1 ELSE 0 END) AS good, count(*) AS all
// ---
MATCH (d:Decision) RETURN count(*) AS n, count(d.outcome) AS reviewed, count(DISTINCT d.category) AS categories
// ---
MATCH (d:Decision) RETURN min(d.confidence), max(d.confidence), avg(d.confidence), sum(d.confidence), stDev(d.confidence), stDevP(d.confidence)
// ---
MATCH (d:Decision) RETURN percentileCont(d.confidence, 0.9) AS p90, percentileDisc(d.confidence, 0.5) AS median
// ---
MATCH (d:Decision) RETURN d.category AS c, collect(d.id)[..3] AS some, head(collect(d.id)) AS first, last(collect(d.id)) AS latest
// ---
RETURN [x IN [1, 2, 3] | x * x] AS squares
// ---
RETURN [x IN range(1, 10) WHERE x % 2 = 0 | x] AS even, [x IN range(1, 10) WHERE x > 5] AS large
// ---
RETURN [x IN range(0, 3) | [y IN range(0, x) | x * y]] AS triangle
// ---
// params: {"n": 10}
RETURN range(10, 1, -3) AS down, range(0, $n) AS up, range(1, $n * 2) AS twice
// ---
MATCH (d:Decision) WITH collect(d) AS ds RETURN [i IN range(0, size(ds) - 1) | ds[i].id] AS ids
// ---
MATCH (d:Decision) RETURN d.id, [i IN range(0, size(d.scores) - 1) WHERE d.scores[i] > 1 | i] AS places
// ---
MATCH (d:Decision) WITH min(d.year) AS low, max(d.year) AS high UNWIND range(low, high) AS year OPTIONAL MATCH (e:Decision {year: year}) RETURN year, count(e) AS n
// ---
MATCH (d:Decision) WITH max(d.year) AS high RETURN range(2020, high)[..100] AS years
// ---
RETURN reduce(total = 0, x IN [1, 2, 3] | total + x) AS sum
// ---
MATCH p = (:Decision)-[:RELATES_TO*1..3]->(:Decision) RETURN reduce(w = 0.0, r IN relationships(p) | w + r.weight) AS weight ORDER BY weight DESC LIMIT 3
// ---
RETURN reduce(s = '', w IN ['a', 'b', 'c'] | s + w + ', ') AS joined
// ---
RETURN reduce(s = '', w IN ['a', 'b'] | CASE WHEN s = '' THEN w ELSE s + '-' + w END) AS joined
// ---
RETURN reduce(s = 'a.b,c', c IN ['.', ','] | replace(s, c, ' ')) AS clean
// ---
MATCH (d:Decision) WITH collect(d.tags) AS all RETURN reduce(flat = [], tags IN all | flat + tags) AS flat
// ---
RETURN reduce(seen = [], x IN [1, 2, 1] | CASE WHEN x IN seen THEN seen ELSE seen + x END) AS once
// ---
RETURN reduce(best = 0, x IN [3, 9, 4] | CASE WHEN x > best THEN x ELSE best END) AS best
// ---
RETURN reduce(ema = 0.0, x IN [1.0, 2.0, 3.0] | ema * 0.9 + x * 0.1) AS ema
// ---
WITH [1.0, 2.0, 3.0] AS xs WITH xs, reduce(s = 0.0, x IN xs | s + x) / size(xs) AS mean RETURN sqrt(reduce(s = 0.0, x IN xs | s + (x - mean) ^ 2) / size(xs)) AS deviation
// ---
RETURN all(x IN [1, 2] WHERE x > 0) AS a, any(x IN [1, 2] WHERE x > 1) AS b, none(x IN [1] WHERE x > 1) AS c, single(x IN [1, 2] WHERE x = 1) AS d
// ---
MATCH p = (:Decision)-[*1..3]-(:Decision) WHERE all(n IN nodes(p) WHERE single(m IN nodes(p) WHERE m = n)) RETURN length(p) LIMIT 5
// ---
MATCH p = (:Decision)-[:RELATES_TO*]->(:Decision) WHERE all(r IN relationships(p) WHERE r.weight > 0.1) AND none(n IN nodes(p) WHERE n.stakes = 'low') RETURN p
// ---
MATCH (d:Decision) WITH collect(d) AS ds RETURN [d IN ds WHERE any(t IN d.tags WHERE t STARTS WITH 'a') | d.id] AS ids
// ---
MATCH (d:Decision) WITH collect(d) AS ds RETURN [d IN ds | d {.id, .stakes, tags: [(d)-[:TAGGED]->(t) | t.name]}] AS out
// ---
MATCH (d:Decision) RETURN d {.*} AS all
// ---
MATCH (d:Decision) RETURN d {.id, .summary, reviewed: d:Reviewed, n: COUNT { (d)--() }} AS out
// ---
MATCH (d:Decision)-[:TAGGED]->(t) WITH d, collect(t.name) AS tags RETURN d {.id, tags} AS out
// ---
MATCH (d:Decision) RETURN d.id, [(d)-[:TAGGED]->(t:Tag) WHERE t.name <> 'x' | t.name] AS tags
// ---
MATCH (d:Decision) RETURN [p = (d)-[:RELATES_TO]->() | length(p)] AS lengths, size([(d)--(x) | 1]) AS degree
// ---
MATCH (d:Decision) RETURN [x IN [d] WHERE x:Decision | x.id] AS a, [x IN [d] WHERE x:Decision|Policy | x.id] AS b
// ---
MATCH (d:Decision) WHERE (d)-[:TAGGED]->(:Tag) AND NOT (d)-[:SUPERSEDES]->() RETURN d.id
// ---
MATCH (d:Decision) WHERE exists((d)-[:TAGGED]->()) RETURN d.id
// ---
MATCH (d:Decision) WHERE d.summary =~ '(?i)use .*' RETURN d.id
// ---
// params: {"pattern": "(?i).*cache.*"}
MATCH (d:Decision) WHERE d.summary =~ $pattern RETURN d.id
// ---
// params: {"q": "cache"}
MATCH (d:Decision) WHERE d.summary =~ '(?i).*' + $q + '.*' RETURN d.id
// ---
// params: {"q": "cache"}
WITH '(?i).*' + $q + '.*' AS pattern MATCH (d:Decision) WHERE d.summary =~ pattern RETURN d.id
// ---
MATCH (a:Agent) WHERE a.email =~ '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}' RETURN a.email
// ---
RETURN '2024-01-31' =~ '\\d{4}-\\d{2}-\\d{2}' AS date, '10.0.0.1' =~ '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}' AS ip
// ---
RETURN 'abc' =~ '(abc|def)' AS a, 'D-12' =~ '^[A-Z]+-[0-9]+$' AS b, 'v1.2.3' =~ 'v\\d+\\.\\d+\\.\\d+(-.+)?' AS c
// ---
RETURN 'a' =~ '(?:x|y)?a' AS a, 'owner/repo' =~ '[^/]+/[^/]+' AS b, 'ABAB' =~ '(AB)+' AS c
// ---
RETURN 1 IS :: INTEGER AS a, 'x' IS TYPED STRING AS b, 1 IS NOT :: STRING AS c, [1] IS :: LIST<INTEGER NOT NULL> AS d
// ---
RETURN 1 IS :: INTEGER | FLOAT AS a, date() IS :: DATE AS b, localtime() IS :: LOCAL TIME AS c, datetime() IS :: ZONED DATETIME NOT NULL AS d, time() IS :: TIME WITH TIMEZONE AS e
// ---
RETURN 'x' IS NORMALIZED AS a, 'x' IS NOT NFKC NORMALIZED AS b, normalize('x', NFD) AS c
// ---
RETURN trim('  x ') AS a, trim(BOTH 'x' FROM 'xax') AS b, trim(LEADING FROM ' a') AS c, ltrim(' x') AS d, rtrim('x ') AS e, btrim('xax', 'x') AS f
// ---
RETURN INF AS a, NaN AS b, -INFINITY AS c, isNaN(0.0 / 0.0) AS d
// ---
RETURN abs(-1), ceil(1.2), floor(1.7), round(1.25, 1), round(1.25, 1, 'HALF_UP'), sign(-3), sqrt(2), exp(1), log(2), log10(100), e(), pi(), rand()
// ---
RETURN sin(1), cos(1), tan(1), cot(1), asin(1), acos(1), atan(1), atan2(1, 2), degrees(1), radians(1), haversin(1)
// ---
RETURN left('abc', 1), right('abc', 1), substring('abc', 1, 1), toUpper('a'), toLower('A'), upper('a'), lower('A'), reverse('abc'), replace('abc', 'b', 'x'), split('a,b', ','), size('abc'), char_length('abc'), character_length('abc')
// ---
RETURN toInteger('1'), toFloat('1.5'), toString(1), toBoolean('true'), toIntegerOrNull('x'), toFloatOrNull('x'), toStringOrNull(1), toBooleanOrNull('x')
// ---
RETURN toIntegerList(['1']), toFloatList(['1']), toStringList([1]), toBooleanList(['true']), tail([1, 2]), reverse([1, 2]), isEmpty([]), valueType(1), nullIf(1, 1), coalesce(null, 1)
// ---
RETURN date('2024-01-31').year AS y, datetime().epochMillis AS ms, duration('P1DT2H').hours AS h, time('10:00').minute AS m, localdatetime() AS l, localtime() AS t
// ---
RETURN date.truncate('month', date()) AS a, datetime.truncate('day') AS b, date.realtime() AS c, datetime.statement() AS d, time.transaction() AS e, localdatetime.truncate('hour') AS f
// ---
RETURN duration.between(date('2024-01-01'), date('2024-02-01')) AS a, duration.inDays(date(), date()) AS b, duration.inMonths(date(), date()) AS c, duration.inSeconds(datetime(), datetime()) AS d
// ---
RETURN datetime({epochMillis: timestamp()}) AS a, datetime.fromEpoch(0, 0) AS b, datetime.fromEpochMillis(0) AS c, date({year: 2024, month: 1}) AS d
// ---
RETURN date() - duration({days: 7}) AS week, datetime() + duration('PT1H') AS soon, duration('P1D') * 2 AS two
// ---
MATCH (d:Decision) WHERE d.created_at > datetime() - duration('P90D') RETURN count(*) AS recent
// ---
RETURN point({x: 1, y: 2}).x AS x, point.distance(point({x: 0, y: 0}), point({x: 3, y: 4})) AS five, point.withinBBox(point({x: 1, y: 1}), point({x: 0, y: 0}), point({x: 2, y: 2})) AS within
// ---
RETURN randomUUID() AS id, timestamp() AS now
// ---
// params: {"v": [0.1, 0.2]}
RETURN vector.similarity.cosine([1.0, 0.0], [0.5, 0.5]) AS c, vector.similarity.euclidean([1.0, 0.0], $v) AS e
// ---
RETURN `vector`.`similarity`.`cosine`([1.0], [1.0]) AS x, rand /* here */ () AS y, VECTOR . similarity . COSINE ([1.0], [1.0]) AS z
// ---
MATCH (d:Decision) RETURN properties(d) AS p, keys(d) AS k, labels(d) AS l LIMIT 1
// ---
MATCH (a)-[r]->(b) RETURN startNode(r) = a AS s, endNode(r) = b AS e LIMIT 1
// ---
RETURN [1, 'a', true, null, 1.5, {a: 1}, [1]] AS mixed, [] AS empty, {} AS nothing
// ---
RETURN split('a b c', ' ')[1] AS b, size(split('a,b', ',')) AS two
// ---
WITH [1, 2, 3] AS a, [2, 3, 4] AS b RETURN [x IN a WHERE x IN b] AS both, [x IN a WHERE NOT x IN b] AS only
// ---
WITH ['x', 'y'] AS keys, [1, 2] AS values RETURN [i IN range(0, size(keys) - 1) | [keys[i], values[i]]] AS zipped
// ---
RETURN 1 = 1 = true AS a, 1 < 2 < 3 AS b, 'a' < 'b' AS c, [1] = [1] AS d
// ---
UNWIND range(1, 1000) AS x WITH x WHERE x % 7 = 0 RETURN count(*) AS n, collect(x)[..5] AS some
// ---
UNWIND range(1, 100) AS x UNWIND range(1, 100) AS y RETURN count(*) AS cells
// ---
RETURN size([x IN range(1, 100000) WHERE x % 2 = 0]) AS half
// ---
RETURN toString(date()) + ' ' + toString(1.5) + ' ' + toString(true) AS text
// ---
RETURN range(0, 1000000000, 7)[5] AS sixth, range(1, 1000000000)[..3] AS few
// ---
RETURN [(1), (2)] AS l, (1) - (2) AS minus, (1) < -1 AS less, [1][0] - [2][0] AS d
// ---
MATCH (d:Decision) RETURN reduce(s = 0, x IN d.scores | s + x) + reduce(s = 0, x IN d.scores | s + x * x) AS both
