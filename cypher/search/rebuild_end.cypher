// Notes that all vectors were made anew.
MATCH (i:SYS_SearchIndex {name: 'decisions'})
REMOVE i.rebuilding_since
