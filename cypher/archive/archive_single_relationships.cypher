// Returns the relationships from or to $ends {at, type, id}, by element id, of the types of which a node has at most one.
UNWIND $ends AS x
MATCH (n) WHERE elementId(n) = x.id
CALL (n, x) {
  MATCH (n)-[r:CURRENT_VERSION|IN_PROJECT|FOLLOWS]->() WHERE type(r) = x.type RETURN r
  UNION ALL
  MATCH (n)<-[r:OWNS]-() WHERE type(r) = x.type RETURN r
}
RETURN x.at AS at, elementId(r) AS id
