// Returns the nodes without the property that identifies nodes of their label. Other programs may have written them. No parameters.
MATCH (n:SYS_Policy) USING SCAN n:SYS_Policy WHERE n.name IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SYS_Threshold) USING SCAN n:SYS_Threshold WHERE n.name IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SYS_DecisionTable) USING SCAN n:SYS_DecisionTable WHERE n.table_id IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SYS_DecisionRow) USING SCAN n:SYS_DecisionRow WHERE n.row_id IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SYS_Program) USING SCAN n:SYS_Program WHERE n.name IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SYS_FederationSource) USING SCAN n:SYS_FederationSource WHERE n.name IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:SubjectConcept) USING SCAN n:SubjectConcept WHERE n.subject_id IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:Atlas) USING SCAN n:Atlas WHERE n.atlas_id IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
UNION ALL
MATCH (n:Context) USING SCAN n:Context WHERE n.context_id IS NULL RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties
