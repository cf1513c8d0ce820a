// Returns all atlases that the caller may see, by id, with their contents and dependencies.
MATCH (a:Atlas) WHERE a.atlas_id IS NOT NULL AND true /* visible: a:Atlas */
OPTIONAL MATCH (p:SYS_Pack {name: 'atlas:' + a.atlas_id})
RETURN a.atlas_id AS atlas_id, a.name AS name, a.version AS version, toStringOrNull(a.project) AS project, a.description AS description, coalesce(a.domains, []) AS domains, a.dependencies AS dependencies,
       COUNT { (a)-[:HAS_CONTEXT]->() } AS contexts, COUNT { (p)-[:OWNS {section: 'policies'}]->(:SYS_Policy) } AS policies, p.applied_at AS loaded_at
ORDER BY atlas_id
