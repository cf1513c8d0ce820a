// Returns the nodes that a pack names ($policies, $thresholds, $decision_tables, $decision_rows, $programs, $federation_sources, $subject_concepts, $contexts, $atlases: lists of keys) or owns ($pack), each with its links, owner, last applied content and chosen mode.
CALL () {
  UNWIND $policies AS key MATCH (n:SYS_Policy {name: key}) RETURN 'policies' AS section, key, n
  UNION
  UNWIND $thresholds AS key MATCH (n:SYS_Threshold {name: key}) RETURN 'thresholds' AS section, key, n
  UNION
  UNWIND $decision_tables AS key MATCH (n:SYS_DecisionTable {table_id: key}) RETURN 'decision_tables' AS section, key, n
  UNION
  UNWIND $decision_rows AS key MATCH (n:SYS_DecisionRow {row_id: key}) RETURN 'decision_rows' AS section, key, n
  UNION
  UNWIND $programs AS key MATCH (n:SYS_Program {name: key}) RETURN 'programs' AS section, key, n
  UNION
  UNWIND $federation_sources AS key MATCH (n:SYS_FederationSource {name: key}) RETURN 'federation_sources' AS section, key, n
  UNION
  UNWIND $subject_concepts AS key MATCH (n:SubjectConcept {subject_id: key}) RETURN 'subject_concepts' AS section, key, n
  UNION
  UNWIND $contexts AS key MATCH (n:Context {context_id: key}) RETURN 'contexts' AS section, key, n
  UNION
  UNWIND $atlases AS key MATCH (n:Atlas {atlas_id: key}) RETURN 'atlases' AS section, key, n
  UNION
  MATCH (:SYS_Pack {name: $pack})-[o:OWNS]->(n) RETURN o.section AS section, o.key AS key, n
}
OPTIONAL MATCH (owner:SYS_Pack)-[o:OWNS]->(n)
RETURN section, key, elementId(n) AS id, properties(n) AS properties, owner.name AS owner, o.applied AS applied, o.mode AS mode,
       [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_ROW|HAS_CONTEXT]->(x) | {type: type(l), id: elementId(x), key: CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') ELSE coalesce(x.row_id, x.context_id, x.name, '') END}] AS links
ORDER BY section, key, id
