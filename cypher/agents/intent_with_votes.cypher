// Returns the intents that $ref, a uid or a correlation id, identifies, each with its newest 500 votes, oldest first.
CALL () {
  MATCH (i:Intent {uid: $ref}) RETURN i
  UNION
  MATCH (i:Intent {correlation_id: $ref}) RETURN i LIMIT 10
}
WITH i WHERE true /* visible: i:Intent */
CALL (i) {
  MATCH (i)<-[:ON]-(v:Voice)
  WITH v ORDER BY v.at DESC, v.uid DESC LIMIT 500
  WITH v ORDER BY v.at, v.uid
  RETURN collect(properties(v)) AS voices
}
RETURN properties(i) AS intent, voices
