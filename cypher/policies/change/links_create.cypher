// Makes the links of $links: {from, type, to}, by element id, where they are not there yet.
UNWIND $links AS link
MATCH (a) WHERE elementId(a) = link.from
MATCH (b) WHERE elementId(b) = link.to
MERGE (a)-[:$(link.type)]->(b)
