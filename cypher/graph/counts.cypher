// Returns the numbers of nodes by label and of relationships by type and end labels, and the indexes, all from the server's counters. No parameters.
CALL db.stats.retrieve('GRAPH COUNTS') YIELD data
RETURN [n IN data.nodes WHERE n.label IS NOT NULL AND n.count > 0] AS nodes,
       [r IN data.relationships WHERE r.relationshipType IS NOT NULL AND r.count > 0] AS relationships
