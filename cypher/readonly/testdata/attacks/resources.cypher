// word: range
RETURN range(1, 1000000000)
// ---
// word: range
RETURN size([x IN range(1, 100000000) WHERE x % 2 = 0])
// ---
// word: range
UNWIND range(1, 1000000000) AS x RETURN count(x)
// ---
// word: range
// params: {"n": 1000000000}
RETURN [x IN range(1, $n) | x]
// ---
// word: range
RETURN range(1, $absent)
// ---
// word: range
RETURN range(1, 1000 * 1000 * 1000)
// ---
// word: range
RETURN range(-1000000, 1000000)
// ---
// word: range
RETURN range(1000000000, 1, -1)
// ---
// word: range
RETURN range(0, 0x7FFFFFFF)
// ---
// word: range
RETURN range(0, 1_000_000)
// ---
// word: range
WITH 1000000000 AS n RETURN [x IN range(1, n) | x]
// ---
// word: range
WITH {n: 1000000000} AS m RETURN [x IN range(1, m.n) | x]
// ---
// word: range
RETURN [x IN range(1, toInteger('1000000000')) | x]
// ---
// word: range
MATCH (n) RETURN [x IN range(1, n.count) | x]
// ---
// word: range
MATCH (n) WITH count(n) AS c RETURN [x IN range(1, c) | x]
// ---
// word: range
RETURN [x IN range(1, CASE WHEN true THEN 1000000000 ELSE 1 END) | x]
// ---
// word: range
RETURN [x IN range(1, coalesce(null, 1000000000)) | x]
// ---
// word: range
RETURN [x IN range(1, 10 ^ 9) | x]
// ---
// word: range
RETURN [x IN range(1, 1e9) | x]
// ---
// word: RANGE
RETURN RANGE /* x */ (1, 1000000000)
// ---
// word: `range`
RETURN `range`(1, 1000000000)
// ---
// word: range
UNWIND [1000000000] AS n RETURN [x IN range(1, n) | x]
// ---
// word: range
RETURN range(1, 1000000000)[..1000000]
// ---
// word: range
RETURN range(1, 1000000000)[5..]
// ---
// word: range
RETURN range(1, 1000000000, $step)
// ---
// word: range
RETURN range(1, timestamp())
// ---
// word: range
RETURN range(1, reduce(n = 1, x IN range(1, 40) | n * 2))
// ---
// word: any
RETURN any(x IN range(1, 100000) WHERE any(y IN range(1, 100000) WHERE x + y < 0))
// ---
// word: all
RETURN all(x IN range(1, 10000) WHERE all(y IN range(1, 10000) WHERE x + y > 0))
// ---
// word: [
RETURN [x IN range(1, 10000) | size([y IN range(1, 10000) WHERE y > x])]
// ---
// word: single
RETURN [x IN range(1, 1000) WHERE none(y IN range(1, 1000) WHERE single(z IN range(1, 1000) WHERE x = y + z))]
// ---
// word: reduce
RETURN reduce(s = 0, x IN range(1, 100000) | s + reduce(t = 0, y IN range(1, 100000) | t + y))
// ---
// name: the loop hides in a variable
// word: any
WITH range(1, 100000) AS l RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0))
// ---
// name: the loop hides in a map
// word: any
WITH {l: range(1, 100000)} AS m RETURN any(x IN m.l WHERE any(y IN m.l WHERE x + y < 0))
// ---
// name: the loop hides in an alias of a subquery
// word: any
CALL { RETURN range(1, 100000) AS l } RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0))
// ---
// name: an inner name does not shrink an outer one
// word: any
WITH range(1, 100000) AS l CALL { WITH [1] AS l RETURN 1 AS y } RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0))
// ---
// name: the columns of RETURN * in a subquery
// word: any
CALL { WITH range(1, 100000) AS l RETURN * } RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0))
// ---
// name: the larger part of a UNION counts
// word: any
CALL { RETURN [1] AS l UNION RETURN range(1, 100000) AS l UNION RETURN [2] AS l } RETURN any(x IN l WHERE any(y IN l WHERE x + y < 0))
// ---
// name: collected lists within each other
// word: any
MATCH (n) WITH collect(n) AS ns RETURN any(a IN ns WHERE any(b IN ns WHERE a.x = b.x + 1))
// ---
// word: any
MATCH (n) WITH [x IN collect(n) | x] AS ns RETURN [a IN ns WHERE any(b IN ns WHERE a.x < b.x)]
// ---
// word: any
UNWIND range(1, 100000) AS x WITH collect(x) AS l RETURN any(a IN l WHERE any(b IN l WHERE a + b < 0))
// ---
// name: parameters as lists
// word: any
// params: {"l": "list of 5000"}
WITH split($l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l + $l, '') AS l RETURN any(a IN l WHERE any(b IN l WHERE any(c IN l WHERE any(d IN l WHERE a = b + c + d))))
// ---
// name: four loops over one property
// word: any
MATCH (n) RETURN any(a IN n.v WHERE any(b IN n.v WHERE any(c IN n.v WHERE any(d IN n.v WHERE a = b + c + d))))
// ---
// name: paths three deep
// word: any
MATCH p = (a)-[*]-(b) RETURN any(x IN nodes(p) WHERE any(y IN nodes(p) WHERE any(z IN nodes(p) WHERE x = y AND y = z)))
// ---
// name: many loops side by side
RETURN size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)]) + size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)]) + size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)]) + size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)]) + size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)]) + size([x IN range(1, 100000) WHERE any(y IN range(1, 190) WHERE y < x)])
// ---
// name: a string that doubles
// word: reduce
RETURN reduce(s = 'a', i IN range(1, 40) | s + s)
// ---
// word: reduce
RETURN reduce(s = [1], i IN range(1, 40) | s + s)
// ---
// word: reduce
RETURN reduce(s = [1], i IN range(1, 40) | [s, s])
// ---
// word: reduce
RETURN reduce(s = {a: 1}, i IN range(1, 40) | {a: s, b: s})
// ---
// word: reduce
RETURN reduce(s = 'a', i IN range(1, 40) | replace(s, 'a', 'aa'))
// ---
// word: reduce
RETURN reduce(s = 'a', i IN range(1, 40) | replace('xx', 'x', s))
// ---
// word: reduce
RETURN reduce(s = 'a', i IN range(1, 40) | s || s)
// ---
// word: reduce
RETURN reduce(s = 0, i IN range(1, 40) | CASE WHEN i = 1 THEN ['a'] ELSE s + s END)
// ---
// word: reduce
RETURN reduce(s = [1], i IN range(1, 40) | [x IN s | 1] + [x IN s | 2])
// ---
// word: reduce
RETURN reduce(s = [1], i IN range(1, 40) | [x IN [1, 2, 3] | s])
// ---
// word: reduce
RETURN reduce(s = [1], i IN range(1, 40) | s + reverse(s))
// ---
// word: reduce
RETURN reduce(s = 'a', i IN range(1, 40) | s + coalesce(null, s))
// ---
// word: reduce
RETURN reduce(s = ['a'], i IN range(1, 40) | [s[0] + s[0]])
// ---
// word: s
RETURN reduce(s = 'a', i IN range(1, 40) | reduce(t = '', j IN [1, 2] | t + s))
// ---
// word: range
RETURN reduce(s = [1], i IN range(1, 40) | range(0, size(s) * 2))
// ---
// name: doubling with WITH
WITH 'aaaaaaaaaaaaaaaa' AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s WITH s + s AS s RETURN s
// ---
// name: squaring with replace
WITH 'aaaaaaaaaa' AS s WITH replace(s, 'a', s) AS s WITH replace(s, 'a', s) AS s WITH replace(s, 'a', s) AS s WITH replace(s, 'a', s) AS s RETURN s
// ---
// name: lists of lists
WITH range(1, 1000) AS l WITH [x IN l | l] AS l WITH [x IN l | l] AS l RETURN l
// ---
// name: lists of lists by literals
WITH range(1, 1000) AS a WITH [a, a, a, a, a, a, a, a, a, a] AS a WITH [a, a, a, a, a, a, a, a, a, a] AS a WITH [a, a, a, a, a, a, a, a, a, a] AS a WITH [a, a, a, a, a, a, a, a, a, a] AS a RETURN a
// ---
// name: maps of maps
WITH range(1, 1000) AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a WITH {a: a, b: a, c: a, d: a} AS a RETURN a
// ---
// name: one row of 30 million elements
// word: collect
UNWIND range(1, 100000) AS x UNWIND range(1, 300) AS y RETURN collect(x)
// ---
// word: COLLECT
RETURN COLLECT { UNWIND range(1, 100000) AS x UNWIND range(1, 300) AS y RETURN x }
// ---
// name: ranges that the memory limit does not count
// word: collect
WITH range(1, 100000) AS l UNWIND range(1, 100000) AS i RETURN collect(l)
// ---
// word: collect
UNWIND range(1, toInteger('30000000')) AS x RETURN collect(x)
// ---
// name: a list built in too many turns
// word: reduce
RETURN reduce(s = [], x IN range(1, 100000) | s + x)
// ---
// word: reduce
RETURN reduce(s = 0, x IN range(1, 100000) | s + [x])
// ---
// name: a large copy in a loop
WITH [x IN range(1, 100000) | x] AS l RETURN [x IN range(1, 100000) | size(reverse(l))]
// ---
// word: =~
RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a+)+'
// ---
// word: =~
RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a|a)*b'
// ---
// word: =~
RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(a|aa)+$'
// ---
// word: =~
RETURN 'x' =~ '(.*)*y'
// ---
// word: =~
RETURN 'x' =~ '(a*)*b'
// ---
// word: =~
RETURN 'x' =~ '(?:a?){30}a{30}'
// ---
// word: =~
RETURN 'x' =~ '([a-zA-Z]+)*'
// ---
// word: =~
RETURN 'x' =~ '((a{1,9}){1,9}){1,9}'
// ---
// word: =~
RETURN 'x' =~ '.*.*.*.*.*x'
// ---
// word: =~
RETURN 'x' =~ '.*a.*b.*c.*d.*e'
// ---
// word: =~
RETURN 'x' =~ '\\w+\\d+\\w+\\d+!'
// ---
// word: =~
RETURN 'x' =~ 'a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaa'
// ---
// word: =~
RETURN 'x' =~ '(a)\\1+'
// ---
// word: =~
RETURN 'x' =~ '(?<n>a)\\k<n>'
// ---
// word: =~
RETURN 'x' =~ '(?=.*a)(?=.*b).*'
// ---
// word: =~
RETURN 'x' =~ '(?<!a+)b'
// ---
// word: =~
RETURN 'x' =~ '(?x) ( a + # comment ) + '
// ---
// word: =~
RETURN 'x' =~ 'a{1,17}a{1,17}a{1,17}a{1,17}a{1,17}b'
// ---
// word: =~
// params: {"p": "^(([a-z])+.)+[A-Z]([a-z])+$"}
MATCH (n) WHERE n.name =~ $p RETURN n
// ---
// word: =~
MATCH (n) WHERE n.name =~ n.pattern RETURN n
// ---
// word: =~
MATCH (n) WHERE n.name =~ $absent RETURN n
// ---
// word: =~
MATCH (n) WHERE n.name =~ toLower('(A+)+') RETURN n
// ---
// word: =~
MATCH (n) WHERE n.name =~ '(a' + '+)' + '+' RETURN n
// ---
// word: =~
WITH '(a+)+' AS p MATCH (n) WHERE n.name =~ p RETURN n
// ---
// word: =~
MATCH (n) WHERE n.name =~ CASE WHEN true THEN '(a+)+' ELSE 'a' END RETURN n
// ---
// word: =~
RETURN CASE 'aaaa' WHEN =~ '(a+)+' THEN 1 END
// ---
// word: =~
RETURN any(p IN ['(a+)+'] WHERE 'aaaa' =~ p)
// ---
// word: \u0028
RETURN 'x' =~ '\u0028a+)+'
// ---
// params: {"v": [0.1]}
CALL db.index.vector.queryNodes('x', 1000000000, $v) YIELD node RETURN node
// ---
// params: {"v": [0.1]}
MATCH (n) CALL db.index.vector.queryNodes('x', n.k, $v) YIELD node RETURN node
// ---
// name: brackets deeper than the parser should go
// live: no
RETURN ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
// ---
// name: lists deeper than the parser should go
RETURN [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
// ---
// name: arguments taken from parameters that the query does not name
// params: {"indexName": "x", "numberOfNearestNeighbours": 1000000000, "query": [0.1]}
CALL db.index.vector.queryNodes
// ---
// name: a comprehension over a text in a loop over a text
RETURN [x IN split(reduce(s = 'a', i IN range(1, 10000) | s + 'b'), 'b') | [y IN split(reduce(s = 'a', i IN range(1, 10000) | s + 'b'), 'b') | x + y]]
// ---
// name: so many appended elements that the server never answers
// word: reduce
RETURN reduce(s = [], x IN range(1, 20000) | s + x)
// ---
// name: the same with rows that are made after a match
// word: reduce
MATCH (n) WITH n LIMIT 1 UNWIND range(1, 20000) AS x WITH collect(x) AS l RETURN reduce(s = [], x IN l | s + x)
