// Returns the newest $limit decisions after ($at, $uid) with all $tags, and with a confidence from $least to $greatest if given (retracted ones only if $retracted). n is the number of matches of the most selective condition, at most $most; total is the number of results if n is less. whole is true if the page is complete: few results are sorted, otherwise the newest $budget decisions are examined.
CALL () { MATCH (d:Decision) RETURN count(d) AS decisions }
CALL () {
  UNWIND $tags AS key
  OPTIONAL MATCH (t:Tag {key: key})
  WITH key, t, COUNT { (t)<-[:TAGGED]-() } AS n ORDER BY n LIMIT 1
  CALL (key, t, n) {
    MATCH (t)<-[:TAGGED]-(d:Decision)
    WHERE n < $most AND all(tag IN $tags WHERE tag = key OR any(has IN d.tags WHERE toLower(has) = tag))
    RETURN collect(d) AS found
  }
  RETURN n, found
  UNION ALL
  MATCH (d:Decision) USING INDEX SEEK d:Decision(confidence, uid)
  WHERE d.confidence >= $least AND d.confidence <= $greatest AND d.uid >= ''
  WITH d LIMIT $most
  WITH collect(d) AS found WHERE $least IS NOT NULL
  RETURN size(found) AS n, found
}
WITH n, CASE WHEN n < $most THEN [d IN found WHERE $retracted OR NOT d:Retracted] ELSE [] END AS left, coalesce(size($tags), 1) AS conditions, decisions
WITH n, left, conditions, n < $most AND (conditions > 1 OR 2 * n * n <= $limit * decisions) AS few // otherwise examining the newest until $limit match is cheaper
// An upper bound of null matches nothing. A condition instead would be evaluated after the scan.
WITH n, left, few, CASE WHEN few THEN left ELSE [] END AS sorted, CASE WHEN n < $most AND NOT few THEN $to END AS among, CASE WHEN n >= $most AND conditions = 1 THEN $to END AS beyond
CALL (left, sorted, among, beyond) {
  CALL (left, sorted, among, beyond) {
    UNWIND sorted AS d
    WITH d, coalesce(d.created_at, $from) AS at, d.uid AS uid
    WHERE $at IS NULL OR at < $at OR at = $at AND uid < $uid
    WITH d, at, uid ORDER BY at DESC, uid DESC LIMIT $limit
    RETURN d
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
    WHERE d.created_at >= $from AND d.created_at <= among AND d.uid >= ''
    WITH left, d ORDER BY d.created_at DESC, d.uid DESC LIMIT $budget
    WHERE d IN left AND ($at IS NULL OR d.created_at < $at OR d.uid < $uid)
    RETURN d LIMIT $limit
    UNION ALL
    MATCH (d:Decision) USING INDEX SEEK d:Decision(created_at, uid)
    WHERE d.created_at >= $from AND d.created_at <= beyond AND d.uid >= ''
    WITH d ORDER BY d.created_at DESC, d.uid DESC LIMIT $budget
    WHERE ($least IS NULL OR d.confidence >= $least AND d.confidence <= $greatest) AND ($tags IS NULL OR any(has IN d.tags WHERE toLower(has) = $tags[0]))
      AND ($retracted OR NOT d:Retracted) AND ($at IS NULL OR d.created_at < $at OR d.uid < $uid)
    RETURN d LIMIT $limit
  }
  RETURN collect(properties(d)) AS found
}
RETURN n, size(left) AS total, found, few OR size(found) = $limit AS whole
