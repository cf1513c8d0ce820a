// Replaces the properties of $relationships {from, id, properties}, by element id.
UNWIND $relationships AS x
MATCH (a) WHERE elementId(a) = x.from
CALL (a, x) {
  MATCH (a)-[r]->() WHERE elementId(r) = x.id
  SET r = x.properties
}
