// Returns decisions in ascending order after ($at, $uid): by time if $lead has one value of a property, or by a property if $lead has a range of it, for all decisions or one project. It skips $skip, examines $budget and returns $limit that match $filter; retracted ones only if $retracted.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $lead.project AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.project ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid)
  WHERE d.category = $lead.category AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.category ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = $lead.agent AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.agent ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = $lead.status AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.status ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, created_at, uid)
  WHERE d.stakes = $lead.stakes AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.stakes ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(feature, created_at, uid)
  WHERE d.feature = $lead.feature AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.feature ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(pr, created_at, uid)
  WHERE d.pr = $lead.pr AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.pr ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = $lead.outcome AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d ORDER BY d.outcome ASC, d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE d.created_at >= $lead.created_at.from AND d.created_at <= $lead.created_at.to AND d.uid >= ''
  WITH d ORDER BY d.created_at ASC, d.uid ASC
  WHERE CASE WHEN d.created_at = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(confidence, uid)
  WHERE d.confidence >= $lead.confidence.from AND d.confidence <= $lead.confidence.to AND d.uid >= ''
  WITH d ORDER BY d.confidence ASC, d.uid ASC
  WHERE CASE WHEN d.confidence = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(review_by, uid)
  WHERE d.review_by >= $lead.review_by.from AND d.review_by <= $lead.review_by.to AND d.uid >= ''
  WITH d ORDER BY d.review_by ASC, d.uid ASC
  WHERE CASE WHEN d.review_by = $at THEN d.uid > $uid ELSE true END
  RETURN d
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, confidence, uid)
  WHERE d.project = $lead.project_confidence.project AND d.confidence >= $lead.project_confidence.from AND d.confidence <= $lead.project_confidence.to AND d.uid >= ''
  WITH d ORDER BY d.project ASC, d.confidence ASC, d.uid ASC
  WHERE CASE WHEN d.confidence = $at THEN d.uid > $uid ELSE true END
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
