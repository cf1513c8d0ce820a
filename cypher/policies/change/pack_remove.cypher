// Deletes the node of the pack $pack, which owns no nodes.
MATCH (p:SYS_Pack {name: $pack})
DETACH DELETE p
