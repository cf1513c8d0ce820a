// Creates a successor with $uid and $hash of the newest active token of the agent $key, by $by. It expires after $seconds (null: the lifetime of the old token). Active tokens expire after $overlap seconds.
MATCH (a:Agent {key: $key})
SET a.held = true // blocks concurrent rotations of this name
REMOVE a.held
WITH a
MATCH (a)<-[:OF]-(o:Token) WHERE o.revoked_at IS NULL AND coalesce(o.expires_at > datetime(), true)
WITH a, o ORDER BY o.created_at DESC, o.uid DESC
WITH a, collect(o) AS old
WITH a, old, old[0] AS last
CREATE (t:Token)-[:OF]->(a)
SET t = last {.*, uid: $uid, hash: $hash, hint: $hint, created_by: $by, created_at: datetime(), rotated_from: last.uid, expires_at: CASE
  WHEN $seconds IS NOT NULL THEN datetime() + duration({seconds: $seconds})
  WHEN last.expires_at IS NOT NULL THEN datetime() + duration.inSeconds(last.created_at, last.expires_at)
END}
FOREACH (o IN old | SET o.expires_at = CASE
  WHEN o.expires_at < datetime() + duration({seconds: $overlap}) THEN o.expires_at
  ELSE datetime() + duration({seconds: $overlap})
END)
RETURN properties(t) AS token, [o IN old | {uid: o.uid, expires_at: o.expires_at}] AS old
