// Empties a graph that only serves tests of packs, but for nodes with one of the labels $kept.
MATCH (n)
WHERE NONE(label IN labels(n) WHERE label IN $kept)
DETACH DELETE n
