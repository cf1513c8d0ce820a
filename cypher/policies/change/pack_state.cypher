// What is known of the pack $pack: the checksum of its text and what it has brought; no row where there is no such pack.
MATCH (p:SYS_Pack {name: $pack})
RETURN coalesce(p.checksum, '') AS checksum, p.brought AS brought
