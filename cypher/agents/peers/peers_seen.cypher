// Stores for $peers [{url, name, uid, down}] that they responded, or, with down, that they did not and for how many milliseconds they are skipped.
UNWIND $peers AS row
MERGE (p:Peer {url: row.url})
ON CREATE SET p.name = row.name, p.uid = row.uid, p.schema_version = 1
SET p.seen_at = CASE WHEN row.down IS NULL THEN datetime() ELSE p.seen_at END,
    p.down_until = CASE WHEN row.down IS NULL THEN null ELSE datetime() + duration({milliseconds: row.down}) END
