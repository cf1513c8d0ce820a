// Creates the missing links among $links: {from, type, to}, by element id.
UNWIND $links AS link
MATCH (a) WHERE elementId(a) = link.from
MATCH (b) WHERE elementId(b) = link.to
MERGE (a)-[:$(link.type)]->(b)
