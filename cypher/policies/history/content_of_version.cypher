// Returns the content of the $label called one of $names in the versions, or revisions, whose hash begins with $prefix.
MATCH (v:SYS_Version)
WHERE v.of = $label AND v.name IN $names AND v.hash STARTS WITH $prefix
RETURN v.hash AS version, v.first_at AS at, v.properties AS said
UNION
MATCH (r:SYS_Revision)
WHERE r.hash STARTS WITH $prefix
MATCH (r)-[:INCLUDES]->(v:SYS_Version)
WHERE v.of = $label AND v.name IN $names
RETURN v.hash AS version, v.first_at AS at, v.properties AS said
