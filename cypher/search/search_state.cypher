// What the search index holds and still lacks. All counts but the index's own note come from the server's counters.
CALL () { MATCH (d:Decision) RETURN count(d) AS decisions }
CALL () { MATCH (u:Unindexed) RETURN count(u) AS pending }
CALL () { MATCH (e:Embedding) RETURN count(e) AS indexed }
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
RETURN decisions, pending, indexed, i.model AS model, i.dimensions AS dimensions, i.rebuilding_since AS rebuilding_since
