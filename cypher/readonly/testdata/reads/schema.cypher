CALL db.labels()
// ---
CALL db.labels
// ---
CALL db.labels() YIELD label RETURN label ORDER BY label
// ---
CALL db.labels() YIELD label AS name WHERE name STARTS WITH 'D' RETURN name
// ---
CALL db.labels() YIELD *
// ---
CALL db.relationshipTypes() YIELD relationshipType RETURN collect(relationshipType) AS types
// ---
CALL db.propertyKeys() YIELD propertyKey WITH propertyKey WHERE propertyKey CONTAINS 'name' RETURN propertyKey
// ---
CALL `db` . /* quoted */ `labels` () YIELD label RETURN count(label)
// ---
CALL db.schema.visualization()
// ---
CALL db.schema.visualization() YIELD nodes, relationships RETURN size(nodes) AS n, [r IN relationships | type(r)] AS types
// ---
CALL db.schema.nodeTypeProperties() YIELD nodeType, propertyName, propertyTypes RETURN nodeType, collect(propertyName) AS properties
// ---
CALL db.schema.relTypeProperties()
// ---
// name: the server counts it among its own commands, so the run would not call it a read
// live: no
CALL dbms.components() YIELD name, versions, edition RETURN name, versions[0] AS version, edition
// ---
CALL db.info()
// ---
CALL db.ping()
// ---
CALL db.index.fulltext.listAvailableAnalyzers() YIELD analyzer RETURN analyzer
// ---
// params: {"q": "cache"}
CALL db.index.fulltext.queryNodes('decision_text', $q) YIELD node, score RETURN node.id, score ORDER BY score DESC LIMIT 5
// ---
CALL db.index.fulltext.queryNodes("decision_text", "cache OR queue*", {limit: 5}) YIELD node AS d, score MATCH (d)-[:TAGGED]->(t) RETURN d.id, score, collect(t.name) AS tags
// ---
CALL db.index.fulltext.queryRelationships('relation_text', 'why') YIELD relationship, score RETURN type(relationship), score
// ---
// params: {"v": [0.1, 0.2, 0.3], "k": 5}
CALL db.index.vector.queryNodes('decision_vector', $k, $v) YIELD node, score RETURN node.id, score
// ---
MATCH (d:Decision {id: 'd1'}) CALL db.index.vector.queryNodes('decision_vector', 10, d.vector) YIELD node, score WHERE node <> d RETURN node.id, score
// ---
CALL db.labels() YIELD label CALL db.relationshipTypes() YIELD relationshipType RETURN count(*) AS n
// ---
OPTIONAL CALL db.labels() YIELD label RETURN label
// ---
CALL { CALL db.labels() YIELD label RETURN label } RETURN count(*) AS n
// ---
SHOW INDEXES
// ---
show index
// ---
SHOW ALL INDEXES YIELD *
// ---
SHOW INDEXES YIELD name, type, labelsOrTypes, properties WHERE type <> 'LOOKUP' RETURN name, type ORDER BY name SKIP 0 LIMIT 10
// ---
SHOW VECTOR INDEXES YIELD name AS n, options RETURN n, options.indexConfig AS config
// ---
SHOW FULLTEXT INDEXES WHERE name CONTAINS 'text'
// ---
SHOW RANGE INDEXES
// ---
SHOW TEXT INDEXES YIELD name
// ---
SHOW POINT INDEXES
// ---
SHOW LOOKUP INDEXES YIELD *
// ---
SHOW CONSTRAINTS
// ---
SHOW CONSTRAINTS YIELD name, type RETURN type, count(*) AS n
// ---
SHOW UNIQUE CONSTRAINTS
// ---
SHOW NODE KEY CONSTRAINTS
// ---
SHOW PROPERTY EXISTENCE CONSTRAINTS
// ---
SHOW RELATIONSHIP UNIQUENESS CONSTRAINTS
// ---
SHOW NODE PROPERTY TYPE CONSTRAINTS
// ---
SHOW FUNCTIONS
// ---
SHOW BUILT IN FUNCTIONS YIELD name, category WHERE category = 'String' RETURN collect(name) AS names
// ---
SHOW USER DEFINED FUNCTIONS
// ---
SHOW ALL FUNCTIONS EXECUTABLE BY CURRENT USER
// ---
SHOW PROCEDURES
// ---
SHOW PROCEDURES EXECUTABLE YIELD name, mode WHERE mode = 'READ' RETURN name;
// ---
// live: no
EXPLAIN SHOW INDEXES
