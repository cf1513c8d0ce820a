// Removes the pack $pack itself, which owns nothing any more.
MATCH (p:SYS_Pack {name: $pack})
DETACH DELETE p
