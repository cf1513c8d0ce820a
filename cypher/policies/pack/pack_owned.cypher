// Returns the pack $pack with its nodes and their links to tables, rows and thresholds; no row if it does not exist or is an atlas that the caller may not see.
MATCH (p:SYS_Pack {name: $pack}) WHERE (EXISTS { (p)-[:OWNS]->(a:Atlas) WHERE true /* visible: a:Atlas */ } OR NOT EXISTS { (p)-[:OWNS]->(:Atlas) })
RETURN p.version AS version, p.description AS description, COLLECT {
  MATCH (p)-[o:OWNS]->(n)
  RETURN {section: o.section, properties: properties(n), links:
    [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW]->(x:SYS_DecisionTable|SYS_Threshold|SYS_DecisionRow) |
      {type: type(l), section: CASE WHEN x:SYS_Threshold THEN 'thresholds' WHEN x:SYS_DecisionRow THEN 'decision_rows' ELSE 'decision_tables' END,
       key: CASE WHEN x:SYS_Threshold THEN x.name WHEN x:SYS_DecisionRow THEN x.row_id ELSE x.table_id END}]}
} AS nodes
