// Returns the content of the nodes $ids (element ids): properties, links and rows that belong to a version, and the last recorded version.
CYPHER replan=skip
UNWIND $ids AS id
MATCH (n) WHERE elementId(n) = id
WITH n, [label IN labels(n) WHERE label IN ['SYS_Policy', 'SYS_Threshold', 'SYS_DecisionTable', 'SYS_Program', 'SYS_FederationSource', 'SubjectConcept', 'Atlas', 'Context']][0] AS label
WHERE label IS NOT NULL
RETURN elementId(n) AS id, label,
       toStringOrNull(CASE label WHEN 'SYS_DecisionTable' THEN coalesce(n.table_id, n.name) WHEN 'SubjectConcept' THEN coalesce(n.subject_id, n.concept_id)
                                 WHEN 'Atlas' THEN n.atlas_id WHEN 'Context' THEN n.context_id
                                 ELSE coalesce(n.name, n.label, n.source_id) END) AS name,
       properties(n) AS properties,
       [(n)-[l:GOVERNED_BY|USES_THRESHOLD|FEEDS_INTO|HAS_CONTEXT]->(x) WHERE label <> 'SYS_Threshold' AND (label <> 'SYS_Policy' OR type(l) <> 'FEEDS_INTO') | type(l) + ' ' + CASE WHEN x:SYS_DecisionTable THEN coalesce(x.table_id, x.name, '') WHEN x:Context THEN coalesce(x.context_id, '') ELSE coalesce(x.name, '') END] AS links,
       [(n)-[:HAS_ROW]->(row) WHERE label = 'SYS_DecisionTable' | properties(row)] AS rows,
       [(n)-[:CURRENT_VERSION]->(v) | v.hash][0] AS recorded
