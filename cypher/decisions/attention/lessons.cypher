// The newest $limit lessons of failures, of the newest $most reviewed decisions of each of $categories. $project: null for any. Of all of them, those that the caller may see.
UNWIND $categories AS category
CALL (category) {
  MATCH (d:Decision) USING INDEX SEEK d:Decision(category, reviewed_at)
  WHERE d.category = category AND d.reviewed_at >= $earliest
  WITH d ORDER BY d.category DESC, d.reviewed_at DESC LIMIT $most
  WHERE NOT d:Retracted AND true /* visible: d:Decision */ AND d.outcome IN ['failure', 'abandoned'] AND ($project IS NULL OR d.project = $project)
  MATCH (d)-[:HAS_REVIEW]->(r:Review {in_force: true}) WHERE trim(r.lessons) <> ''
  RETURN d.id AS id, left(ltrim(r.lessons), 300) AS lessons LIMIT $limit
}
RETURN category, id, lessons
