// Returns the checksum of the pack $pack and the nodes it created; no row if it does not exist.
MATCH (p:SYS_Pack {name: $pack})
RETURN coalesce(p.checksum, '') AS checksum, p.brought AS brought
