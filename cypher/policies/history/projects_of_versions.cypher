// Returns the canonical text of each version of the $label (Atlas or Context) called $name, and the current project of the node or of the context's atlas.
MATCH (v:SYS_Version {of: $label, name: $name})
RETURN v.properties AS said, '' AS project
UNION
MATCH (a:Atlas {atlas_id: $name}) WHERE $label = 'Atlas' AND a.project IS NOT NULL
RETURN '' AS said, coalesce(toStringOrNull(a.project), '') AS project
UNION
MATCH (a:Atlas)-[:HAS_CONTEXT]->(:Context {context_id: $name}) WHERE $label = 'Context' AND a.project IS NOT NULL
RETURN '' AS said, coalesce(toStringOrNull(a.project), '') AS project
