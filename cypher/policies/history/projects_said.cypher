// Of the $label (Atlas or Context) called $name: what each version said, as its canonical text; and the project that the node, or the atlas of the context, has now.
MATCH (v:SYS_Version {of: $label, name: $name})
RETURN v.properties AS said, '' AS project
UNION
MATCH (a:Atlas {atlas_id: $name}) WHERE $label = 'Atlas' AND a.project IS NOT NULL
RETURN '' AS said, coalesce(toStringOrNull(a.project), '') AS project
UNION
MATCH (a:Atlas)-[:HAS_CONTEXT]->(:Context {context_id: $name}) WHERE $label = 'Context' AND a.project IS NOT NULL
RETURN '' AS said, coalesce(toStringOrNull(a.project), '') AS project
