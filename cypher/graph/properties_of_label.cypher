// The properties of $sample nodes of a label and their types. The label stands for `__LABEL__`, checked and quoted: no parameter can.
MATCH (n:`__LABEL__`)
WITH n LIMIT $sample
UNWIND keys(n) AS property
WITH property, n[property] AS value
RETURN property AS name, collect(DISTINCT replace(replace(valueType(value), ' NOT NULL', ''), 'INTEGER64', 'INTEGER')) AS types, count(*) AS nodes
ORDER BY name
