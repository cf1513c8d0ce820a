// The pack $pack owns $nodes: {id, section, key, applied}, and no other pack does. applied is what was last applied, as JSON.
MATCH (pack:SYS_Pack {name: $pack})
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
OPTIONAL MATCH (other:SYS_Pack)-[old:OWNS]->(n) WHERE other <> pack
SET other.brought = [entry IN other.brought WHERE substring(entry, 65) <> node.section + ' ' + node.key]
DELETE old
MERGE (pack)-[o:OWNS]->(n)
SET o.section = node.section, o.key = node.key, o.applied = node.applied
