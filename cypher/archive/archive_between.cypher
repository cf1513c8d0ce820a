// Returns the relationships between the ends of $relationships {at, from, type, to}, by element id. It starts from the end with fewer relationships and matches the other end again: with both ends bound, the planner reads all relationships of a graph that had none.
UNWIND $relationships AS x
MATCH (a) WHERE elementId(a) = x.from
MATCH (b) WHERE elementId(b) = x.to
WITH a, b, x, COUNT { (a)-->() } <= COUNT { (b)<--() } AS forwards
CALL (a, b, x, forwards) {
  WITH a, b, x WHERE forwards
  MATCH (a)-[r]->(c) WHERE c = b AND type(r) = x.type
  RETURN r
  UNION ALL
  WITH a, b, x WHERE NOT forwards
  MATCH (b)<-[r]-(c) WHERE c = a AND type(r) = x.type
  RETURN r
}
RETURN x.at AS at, elementId(r) AS id, properties(r) AS properties
