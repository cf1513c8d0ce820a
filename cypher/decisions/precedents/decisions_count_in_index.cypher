// Returns how many decisions match the condition in $lead between $from and $to, at most $most, and how many of those are retracted, using the index only.
CALL () {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
  WHERE d.project = $lead.project AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, created_at, uid)
  WHERE d.category = $lead.category AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(agent, created_at, uid)
  WHERE d.agent = $lead.agent AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(status, created_at, uid)
  WHERE d.status = $lead.status AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(stakes, created_at, uid)
  WHERE d.stakes = $lead.stakes AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(feature, created_at, uid)
  WHERE d.feature = $lead.feature AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(pr, created_at, uid)
  WHERE d.pr = $lead.pr AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(outcome, created_at, uid)
  WHERE d.outcome = $lead.outcome AND d.created_at >= $from AND d.created_at <= $to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
  WHERE d.created_at >= $lead.created_at.from AND d.created_at <= $lead.created_at.to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(confidence, uid)
  WHERE d.confidence >= $lead.confidence.from AND d.confidence <= $lead.confidence.to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(project, confidence, uid)
  WHERE d.project = $lead.project_confidence.project AND d.confidence >= $lead.project_confidence.from AND d.confidence <= $lead.project_confidence.to AND d.uid >= ''
  WITH d LIMIT $most
  RETURN count(d) AS n, count(CASE WHEN d:Retracted THEN 1 END) AS r
}
RETURN sum(n) AS total, sum(r) AS retracted
