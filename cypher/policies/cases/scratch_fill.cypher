// Makes the nodes of $nodes: {labels, properties}, and the relationships of $relationships: {from, type, to, properties}, by their places in $nodes.
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
