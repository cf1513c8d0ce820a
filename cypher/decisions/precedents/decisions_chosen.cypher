// Of the conditions in $filter, the one that leaves the fewest: how many, and where they are fewer than $most, those that all conditions leave (retracted ones only where $retracted): {uid, at, by: the property $by}.
CALL () {
  WITH $filter.project AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.project = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.category AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.category = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.agent AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.agent = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.feature AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.feature = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.pr AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.pr = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.outcome AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.outcome = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.status AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.status IN wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.stakes AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.stakes IN wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH 1 AS one WHERE $filter.after IS NOT NULL OR $filter.before IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  WITH coalesce($filter.min_confidence, 0.0) AS least, coalesce($filter.max_confidence, 1.0) AS greatest
  WHERE $filter.min_confidence IS NOT NULL OR $filter.max_confidence IS NOT NULL
  RETURN COLLECT { MATCH (d:Decision) WHERE d.confidence >= least AND d.confidence <= greatest AND d.uid >= '' RETURN d LIMIT $most } AS found
  UNION ALL
  UNWIND $filter.tags AS wanted
  RETURN COLLECT { MATCH (:Tag {key: wanted})<-[:TAGGED]-(d:Decision) RETURN d LIMIT $most } AS found
  UNION ALL
  WITH $filter.pattern AS wanted WHERE wanted IS NOT NULL
  RETURN COLLECT { MATCH (:Pattern {key: wanted})<-[:FOLLOWS]-(d:Decision) RETURN d LIMIT $most } AS found
}
WITH found ORDER BY size(found) LIMIT 1
RETURN size(found) AS fewest, [d IN CASE WHEN size(found) < $most THEN found ELSE [] END
  WHERE ($retracted OR NOT d:Retracted) AND ($filter.category IS NULL OR d.category = $filter.category)
  AND ($filter.stakes IS NULL OR d.stakes IN $filter.stakes)
  AND ($filter.status IS NULL OR d.status IN $filter.status)
  AND ($filter.project IS NULL OR d.project = $filter.project)
  AND ($filter.agent IS NULL OR d.agent = $filter.agent)
  AND ($filter.feature IS NULL OR d.feature = $filter.feature)
  AND ($filter.pr IS NULL OR d.pr = $filter.pr)
  AND ($filter.pattern IS NULL OR toLower(trim(d.pattern)) = $filter.pattern)
  AND ($filter.tags IS NULL OR all(tag IN $filter.tags WHERE any(has IN d.tags WHERE toLower(has) = tag)))
  AND ($filter.visibility IS NULL OR d.visibility = $filter.visibility)
  AND ($filter.outcome IS NULL OR d.outcome = $filter.outcome)
  AND ($filter.has_outcome IS NULL OR (d.outcome IS NOT NULL) = $filter.has_outcome)
  AND ($filter.min_confidence IS NULL OR d.confidence >= $filter.min_confidence)
  AND ($filter.max_confidence IS NULL OR d.confidence <= $filter.max_confidence)
  AND ($filter.after IS NULL OR d.created_at >= $filter.after)
  AND ($filter.before IS NULL OR d.created_at <= $filter.before)
  | {uid: d.uid, at: d.created_at, by: d[$by]}] AS found
