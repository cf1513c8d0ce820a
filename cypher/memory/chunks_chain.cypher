// Links the chunks at $places [{session, position}] to their predecessors.
UNWIND $places AS place
MATCH (c:Chunk {session: place.session, position: place.position})
MATCH (before:Chunk {session: place.session, position: place.position - 1})
CREATE (before)-[:NEXT]->(c)
