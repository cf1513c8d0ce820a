// Returns the $limit patterns with the most reviews among those confirmed by outcomes, each with up to 5 of its decisions and the categories of the first 50.
MATCH (c:CalibrationCell)
WHERE c.confirmed = true AND c.reviewed >= 0
WITH c ORDER BY c.confirmed DESC, c.reviewed DESC LIMIT $limit
RETURN c.pattern AS pattern, c.key AS key, coalesce(c.confirmed, false) AS confirmed, c {.counts, .sums} AS cell,
       COLLECT { MATCH (:Pattern {key: c.key})<-[:FOLLOWS]-(d:Decision) RETURN d.id LIMIT 5 } AS examples,
       COLLECT { MATCH (:Pattern {key: c.key})<-[:FOLLOWS]-(d:Decision) WITH d LIMIT 50 RETURN DISTINCT d.category AS category ORDER BY category } AS categories
