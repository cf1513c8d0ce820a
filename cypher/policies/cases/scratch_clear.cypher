// Empties a scratch graph for pack tests, except for nodes with one of the labels $kept.
MATCH (n)
WHERE NONE(label IN labels(n) WHERE label IN $kept)
DETACH DELETE n
