// The indexes a query can use: name, type, what they are on. No parameters.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state
WHERE type <> 'LOOKUP'
RETURN name, type, entityType AS entity_type, labelsOrTypes AS labels_or_types, properties, state
ORDER BY name
