// Returns appeals of verdicts that the caller may see, newest first, with the state $state and against the rule $rule; null for any. Returns at most $limit. total is their number, capped at $most.
CALL () {
  MATCH (a:Appeal) WHERE a.state IN CASE WHEN $state IS NULL THEN ['open', 'upheld', 'overturned'] ELSE [$state] END AND ($rule IS NULL OR $rule IN a.rules)
    AND true /* visible: a:Appeal */
  RETURN a ORDER BY a.at DESC, a.uid DESC LIMIT $most
}
WITH a ORDER BY a.at DESC, a.uid DESC
WITH collect(a) AS found
RETURN [a IN found[..$limit] | properties(a)] AS appeals, size(found) AS total
