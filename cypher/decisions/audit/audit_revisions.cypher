// Returns the revisions $hashes of the rule set with the versions that each includes.
UNWIND $hashes AS hash
MATCH (r:SYS_Revision {hash: hash})
RETURN r.hash AS hash, r.first_at AS first_at, COLLECT { MATCH (r)-[:INCLUDES]->(v:SYS_Version) RETURN v.hash ORDER BY v.hash } AS versions
ORDER BY hash
