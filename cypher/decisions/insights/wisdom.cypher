// Summarizes the newest $most reviewed decisions of each of $categories by pattern (null: without one). It returns the number, the sums of outcomes (success 1, partial 0.5), of confidences and of their squared errors, and the number of failures. It also returns the newest three ids and the newest $lessons lessons of failed decisions. With $reviewed, confidences are those of the reviews, otherwise those of recording. $project: null for any. Only decisions that the caller may see.
UNWIND $categories AS category
CALL (category) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, reviewed_at)
  WHERE d.category = category AND d.reviewed_at >= $earliest
  WITH d ORDER BY d.category DESC, d.reviewed_at DESC LIMIT $most
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND d.outcome IS NOT NULL AND ($project IS NULL OR d.project = $project)
  OPTIONAL CALL (d) {
    WITH d WHERE $reviewed
    MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true})
    RETURN r.confidence AS stated
  }
  WITH d, coalesce(stated, d.confidence) AS confidence, CASE d.outcome WHEN 'success' THEN 1.0 WHEN 'partial' THEN 0.5 ELSE 0.0 END AS value
  WITH toLower(trim(d.pattern)) AS key, head(collect(trim(d.pattern))) AS pattern, count(d) AS reviewed, sum(value) AS outcomes,
       collect(CASE WHEN d.outcome IN ['failure', 'abandoned'] THEN d END) AS failures, collect(d.id)[..3] AS ids,
       count(confidence) AS confident, sum(confidence) AS confidences, sum((confidence - value) * (confidence - value)) AS errors
  RETURN key, pattern, reviewed, outcomes, size(failures) AS failed, ids, confident, confidences, errors, COLLECT {
    UNWIND failures AS d
    MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) WHERE trim(r.lessons) <> ''
    RETURN {id: d.id, lessons: left(ltrim(r.lessons), 300), at: d.reviewed_at} LIMIT $lessons
  } AS lessons
}
RETURN category, pattern, reviewed, outcomes, failed, ids, lessons, confident, confidences, errors
ORDER BY category, reviewed DESC, key
