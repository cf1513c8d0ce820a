// Returns every policy, threshold, decision table and row, owned or not, in one row like that of pack_owned. No parameters.
RETURN null AS version, null AS description, COLLECT {
  MATCH (n:SYS_Policy|SYS_Threshold|SYS_DecisionTable|SYS_DecisionRow)
  RETURN {section: CASE WHEN n:SYS_Policy THEN 'policies' WHEN n:SYS_Threshold THEN 'thresholds' WHEN n:SYS_DecisionRow THEN 'decision_rows' ELSE 'decision_tables' END, properties: properties(n), links:
    [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW]->(x:SYS_DecisionTable|SYS_Threshold|SYS_DecisionRow) |
      {type: type(l), section: CASE WHEN x:SYS_Threshold THEN 'thresholds' WHEN x:SYS_DecisionRow THEN 'decision_rows' ELSE 'decision_tables' END,
       key: CASE WHEN x:SYS_Threshold THEN x.name WHEN x:SYS_DecisionRow THEN x.row_id ELSE x.table_id END}]}
} AS nodes
