// Returns name, type and properties of the indexes that queries can use. No parameters.
SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state
WHERE type <> 'LOOKUP'
RETURN name, type, entityType AS entity_type, labelsOrTypes AS labels_or_types, properties, state
ORDER BY name
