// Creates $nodes: {labels, properties}, and $relationships: {from, type, to, properties}, whose ends are positions in $nodes.
CALL () {
  UNWIND $nodes AS node
  CREATE (n:$(node.labels))
  SET n = node.properties
  RETURN collect(n) AS made
}
UNWIND $relationships AS link
WITH link, made[link.from] AS a, made[link.to] AS b
CREATE (a)-[l:$(link.type)]->(b)
SET l = link.properties
