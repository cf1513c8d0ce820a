// Sets or removes ($preserve) the marker label of preserved decisions on the locked decision $uid, so that these few are found.
MATCH (d:Decision {uid: $uid})
REMOVE d:Preserved
FOREACH (_ IN CASE WHEN $preserve THEN [1] ELSE [] END | SET d:Preserved)
