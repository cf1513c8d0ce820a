// Makes the pack $pack the only owner of $nodes: {id, section, key, applied}. applied is the last applied content as JSON.
MATCH (pack:SYS_Pack {name: $pack})
UNWIND $nodes AS node
MATCH (n) WHERE elementId(n) = node.id
OPTIONAL MATCH (other:SYS_Pack)-[old:OWNS]->(n) WHERE other <> pack
SET other.brought = [entry IN other.brought WHERE substring(entry, 65) <> node.section + ' ' + node.key]
DELETE old
MERGE (pack)-[o:OWNS]->(n)
SET o.section = node.section, o.key = node.key, o.applied = node.applied
