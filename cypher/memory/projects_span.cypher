// Updates the time spans of the projects $keys and deletes empty projects.
UNWIND $keys AS key
MATCH (p:MemoryProject {key: key})
WITH p, p.name AS name
CALL (name) {
  MATCH (c:Chunk) USING INDEX SEEK c:Chunk(project, at, uid)
  WHERE c.project = name AND c.at IS NOT NULL AND c.uid > ''
  RETURN min(c.at) AS first, max(c.ends_at) AS last
}
SET p.first_at = first, p.last_at = last
FOREACH (empty IN CASE WHEN p.chunks <= 0 THEN [p] ELSE [] END | DELETE empty)
