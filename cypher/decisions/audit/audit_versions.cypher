// Returns the versions $hashes of policies, thresholds and tables with their contents.
UNWIND $hashes AS hash
MATCH (v:SYS_Version {hash: hash})
WITH hash, v ORDER BY v.of
WITH hash, collect(v)[0] AS v
RETURN hash, v.of AS of, v.name AS name, v.first_at AS first_at, v.properties AS content
ORDER BY hash
