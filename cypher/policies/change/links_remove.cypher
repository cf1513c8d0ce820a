// Removes the links of $links: {from, type, to}, by element id.
UNWIND $links AS link
MATCH (a)-[l]->(b)
WHERE elementId(a) = link.from AND elementId(b) = link.to AND type(l) = link.type
DELETE l
