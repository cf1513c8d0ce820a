// Stores whether decisions sent by the peer at $url, called $name, are accepted.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1, p.name = $name
SET p.following = $following
