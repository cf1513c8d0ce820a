// The relationships that there are between the ends of $relationships {at, from, type, to}, by element id. Each is looked for from the end that has fewer, and with the other end named anew: where both are given, the planner reads all relationships of a graph that had none.
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
