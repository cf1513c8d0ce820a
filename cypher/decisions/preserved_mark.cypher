// Marks the locked decision $uid as one that is preserved, or not ($preserve), so that those few are found.
MATCH (d:Decision {uid: $uid})
REMOVE d:Preserved
FOREACH (_ IN CASE WHEN $preserve THEN [1] ELSE [] END | SET d:Preserved)
