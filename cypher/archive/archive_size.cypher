// Returns the numbers of all nodes and relationships in the graph, from the count store, and the database's clock. No parameters.
CALL () { MATCH (n) RETURN count(n) AS nodes }
CALL () { MATCH ()-[r]->() RETURN count(r) AS relationships }
RETURN nodes + relationships AS size, datetime() AS at
