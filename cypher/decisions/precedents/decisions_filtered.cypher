// Returns how many decisions match the most selective condition in $filter. If fewer than $most, it also returns those that match all conditions (retracted ones only if $retracted): {uid, at, by: the property $by}. Values that an index provides are not read from the decisions.
CALL () {
  WITH $filter.project AS wanted WHERE wanted IS NOT NULL AND $by <> 'confidence'
  RETURN ['project', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid) WHERE d.project = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.category AS wanted WHERE wanted IS NOT NULL
  RETURN ['category', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid) WHERE d.category = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.agent AS wanted WHERE wanted IS NOT NULL
  RETURN ['agent', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid) WHERE d.agent = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.feature AS wanted WHERE wanted IS NOT NULL
  RETURN ['feature', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(feature, created_at, uid) WHERE d.feature = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.pr AS wanted WHERE wanted IS NOT NULL
  RETURN ['pr', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(pr, created_at, uid) WHERE d.pr = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.outcome AS wanted WHERE wanted IS NOT NULL
  RETURN ['outcome', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid) WHERE d.outcome = wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.status AS wanted WHERE wanted IS NOT NULL
  RETURN ['status', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid) WHERE d.status IN wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.stakes AS wanted WHERE wanted IS NOT NULL
  RETURN ['stakes', 'after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, created_at, uid) WHERE d.stakes IN wanted AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH $filter.project AS wanted, coalesce($filter.min_confidence, 0.0) AS least, coalesce($filter.max_confidence, 1.0) AS greatest WHERE wanted IS NOT NULL AND $by = 'confidence'
  RETURN ['project', 'min_confidence', 'max_confidence'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(project, confidence, uid) WHERE d.project = wanted AND d.confidence >= least AND d.confidence <= greatest AND d.uid >= '' RETURN {d: d, uid: d.uid, confidence: d.confidence} LIMIT $most } AS found
  UNION ALL
  WITH 1 AS one WHERE $filter.after IS NOT NULL OR $filter.before IS NOT NULL
  RETURN ['after', 'before'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid) WHERE d.created_at >= $from AND d.created_at <= $to AND d.uid >= '' RETURN {d: d, uid: d.uid, at: d.created_at} LIMIT $most } AS found
  UNION ALL
  WITH coalesce($filter.min_confidence, 0.0) AS least, coalesce($filter.max_confidence, 1.0) AS greatest WHERE $filter.min_confidence IS NOT NULL OR $filter.max_confidence IS NOT NULL
  RETURN ['min_confidence', 'max_confidence'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(confidence, uid) WHERE d.confidence >= least AND d.confidence <= greatest AND d.uid >= '' RETURN {d: d, uid: d.uid, confidence: d.confidence} LIMIT $most } AS found
  UNION ALL
  WITH $filter.imported AS wanted WHERE wanted
  RETURN ['imported'] AS answered, COLLECT { MATCH (d:Decision) USING INDEX SEEK d:Decision(external_id) WHERE d.external_id >= '' RETURN {d: d} LIMIT $most } AS found
  UNION ALL
  UNWIND $filter.tags AS wanted
  RETURN [] AS answered, COLLECT { MATCH (:Tag {key: wanted})<-[:TAGGED]-(d:Decision) RETURN {d: d} LIMIT $most } AS found
  UNION ALL
  WITH $filter.pattern AS wanted WHERE wanted IS NOT NULL
  RETURN [] AS answered, COLLECT { MATCH (:Pattern {key: wanted})<-[:FOLLOWS]-(d:Decision) RETURN {d: d} LIMIT $most } AS found
}
WITH answered, found ORDER BY size(found) LIMIT 1
WITH found, [name IN keys($filter) WHERE NOT name IN answered] AS asked
RETURN size(found) AS fewest, [f IN CASE WHEN size(found) < $most THEN found ELSE [] END
  WHERE ($retracted OR NOT f.d:Retracted) AND true /* visible: f.d:Decision */ AND all(name IN asked WHERE CASE name
    WHEN 'category' THEN f.d.category = $filter.category
    WHEN 'stakes' THEN f.d.stakes IN $filter.stakes
    WHEN 'status' THEN f.d.status IN $filter.status
    WHEN 'project' THEN f.d.project = $filter.project
    WHEN 'agent' THEN f.d.agent = $filter.agent
    WHEN 'after' THEN coalesce(f.at, f.d.created_at) >= $filter.after
    WHEN 'before' THEN coalesce(f.at, f.d.created_at) <= $filter.before
    WHEN 'outcome' THEN f.d.outcome = $filter.outcome
    WHEN 'has_outcome' THEN (f.d.outcome IS NOT NULL) = $filter.has_outcome
    WHEN 'imported' THEN (f.d.external_id IS NOT NULL) = $filter.imported
    WHEN 'min_confidence' THEN coalesce(f.confidence, f.d.confidence) >= $filter.min_confidence
    WHEN 'max_confidence' THEN coalesce(f.confidence, f.d.confidence) <= $filter.max_confidence
    WHEN 'feature' THEN f.d.feature = $filter.feature
    WHEN 'pr' THEN f.d.pr = $filter.pr
    WHEN 'visibility' THEN f.d.visibility = $filter.visibility
    WHEN 'pattern' THEN toLower(trim(f.d.pattern)) = $filter.pattern
    WHEN 'tags' THEN all(tag IN $filter.tags WHERE any(has IN f.d.tags WHERE toLower(has) = tag))
  END)
  | {uid: coalesce(f.uid, f.d.uid), at: coalesce(f.at, f.d.created_at), by: CASE $by WHEN 'created_at' THEN null WHEN 'confidence' THEN coalesce(f.confidence, f.d.confidence) ELSE f.d[$by] END}] AS found
