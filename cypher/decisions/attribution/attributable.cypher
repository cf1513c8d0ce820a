// Examines $limit decisions of $project after ($after, $after_uid), oldest first. Returns their number, the position of the last one, and the pending ones that name a pull request or a commit.
MATCH (d:Decision) USING INDEX SEEK d:Decision(project, created_at, uid)
WHERE d.project = $project AND d.created_at >= $after AND d.uid >= ''
WITH d ORDER BY d.project, d.created_at, d.uid
WHERE CASE WHEN d.created_at = $after THEN d.uid > $after_uid ELSE true END
WITH d LIMIT $limit
WITH collect(d) AS looked
RETURN size(looked) AS looked, last(looked).created_at AS at, last(looked).uid AS uid,
       [d IN looked WHERE NOT d:Retracted AND d.status = 'pending' AND (d.pr IS NOT NULL OR d.commit IS NOT NULL) |
        d {.uid, .id, .category, .stakes, .confidence, .created_at, .project, .tags, .pr, .commit, decision: left(ltrim(d.decision), 160)}] AS found
