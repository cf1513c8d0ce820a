// Creates $relationships {from, type, to, properties} between element ids.
UNWIND $relationships AS x
MATCH (a) WHERE elementId(a) = x.from
MATCH (b) WHERE elementId(b) = x.to
CREATE (a)-[r:$(x.type)]->(b)
SET r = x.properties
