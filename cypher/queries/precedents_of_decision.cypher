// List decisions that a decision links to, with outcomes. Nearest first, without automatic links.
// $id: string, id of the decision
// $steps: integer = 3, maximum number of links
MATCH (d:Decision {id: $id})
MATCH path = (d)-[:DEPENDS_ON|SUPERSEDES|RELATES_TO*1..5]->(earlier:Decision)
WHERE length(path) <= $steps AND none(link IN relationships(path) WHERE coalesce(link.auto, false))
WITH earlier, min(length(path)) AS steps
OPTIONAL MATCH (earlier)-[:HAS_REVIEW]->(review)
RETURN earlier.id AS id, earlier.decision AS decision, steps, collect(review.outcome) AS outcomes
ORDER BY steps, id
LIMIT 50
