// Removes the relationships that archive/archive_single_relationships returns, from or to $ends {type, id}.
UNWIND $ends AS x
MATCH (n) WHERE elementId(n) = x.id
CALL (n, x) {
  MATCH (n)-[r:CURRENT_VERSION|IN_PROJECT|FOLLOWS]->() WHERE type(r) = x.type
  DELETE r
}
CALL (n, x) {
  MATCH (n)<-[r:OWNS]-() WHERE type(r) = x.type
  DELETE r
}
