// Returns the state of the search index. Counts come from the count store; model and dimensions from the index node. A decision has one embedding, and one more for each further passage of a long text.
CALL () { MATCH (d:Decision) RETURN count(d) AS decisions }
CALL () { MATCH (u:Unindexed) RETURN count(u) AS pending }
CALL () { MATCH (e:Embedding) RETURN count(e) AS passages }
CALL () { MATCH (p:LaterPassage) RETURN count(p) AS later }
OPTIONAL MATCH (i:SYS_SearchIndex {name: 'decisions'})
RETURN decisions, pending, passages - later AS indexed, passages, i.model AS model, i.dimensions AS dimensions, coalesce(i.passages AND i.packed, false) AS current, i.rebuilding_since AS rebuilding_since
