// Returns decisions in descending order along one index. $lead has one entry: a property with a value (order: created_at), or a property with a range (order: that property), optionally in a project. The answer continues after ($at, $uid). It skips $skip, examines $budget and returns $limit that match $filter; retracted ones only if $retracted.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $lead.project AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.project DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid)
  WHERE d.category = $lead.category AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.category DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = $lead.agent AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.agent DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = $lead.status AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.status DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, created_at, uid)
  WHERE d.stakes = $lead.stakes AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.stakes DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(feature, created_at, uid)
  WHERE d.feature = $lead.feature AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.feature DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(pr, created_at, uid)
  WHERE d.pr = $lead.pr AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.pr DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = $lead.outcome AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.outcome DESC, d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE d.created_at >= $lead.created_at.from AND d.created_at <= $lead.created_at.to AND d.uid >= ''
  WITH d ORDER BY d.created_at DESC, d.uid DESC
  WHERE CASE WHEN d.created_at = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(confidence, uid)
  WHERE d.confidence >= $lead.confidence.from AND d.confidence <= $lead.confidence.to AND d.uid >= ''
  WITH d ORDER BY d.confidence DESC, d.uid DESC
  WHERE CASE WHEN d.confidence = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(review_by, uid)
  WHERE d.review_by >= $lead.review_by.from AND d.review_by <= $lead.review_by.to AND d.uid >= ''
  WITH d ORDER BY d.review_by DESC, d.uid DESC
  WHERE CASE WHEN d.review_by = $at THEN d.uid < $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, confidence, uid)
  WHERE d.project = $lead.project_confidence.project AND d.confidence >= $lead.project_confidence.from AND d.confidence <= $lead.project_confidence.to AND d.uid >= ''
  WITH d ORDER BY d.project DESC, d.confidence DESC, d.uid DESC
  WHERE CASE WHEN d.confidence = $at THEN d.uid < $uid ELSE true END
  RETURN d
}
WITH d SKIP $skip LIMIT $budget
WHERE ($retracted OR NOT d:Retracted) AND true /* visible: d:Decision */ AND all(name IN keys($filter) WHERE CASE name
    WHEN 'category' THEN d.category = $filter.category
    WHEN 'stakes' THEN d.stakes IN $filter.stakes
    WHEN 'status' THEN d.status IN $filter.status
    WHEN 'project' THEN d.project = $filter.project
    WHEN 'agent' THEN d.agent = $filter.agent
    WHEN 'after' THEN d.created_at >= $filter.after
    WHEN 'before' THEN d.created_at <= $filter.before
    WHEN 'outcome' THEN d.outcome = $filter.outcome
    WHEN 'has_outcome' THEN (d.outcome IS NOT NULL) = $filter.has_outcome
    WHEN 'imported' THEN (d.external_id IS NOT NULL) = $filter.imported
    WHEN 'min_confidence' THEN d.confidence >= $filter.min_confidence
    WHEN 'max_confidence' THEN d.confidence <= $filter.max_confidence
    WHEN 'feature' THEN d.feature = $filter.feature
    WHEN 'pr' THEN d.pr = $filter.pr
    WHEN 'visibility' THEN d.visibility = $filter.visibility
    WHEN 'pattern' THEN toLower(trim(d.pattern)) = $filter.pattern
    WHEN 'reason_type' THEN EXISTS { (d)-[:BECAUSE]->(:Reason {type: $filter.reason_type}) }
    WHEN 'tags' THEN all(tag IN $filter.tags WHERE any(has IN d.tags WHERE toLower(has) = tag))
  END)
RETURN properties(d) AS decision
LIMIT $limit
