// Stores the applied pack: $pack, $version, $description, $checksum, $by, $why.
MATCH (p:SYS_Pack {name: $pack})
SET p.version = $version, p.description = $description, p.checksum = $checksum, p.applied_at = datetime(), p.applied_by = $by
