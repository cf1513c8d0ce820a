// Sets or removes ($retracted) the marker label of retracted decisions on the locked decision $uid, so that searches skip it.
MATCH (d:Decision {uid: $uid})
REMOVE d:Retracted
FOREACH (_ IN CASE WHEN $retracted THEN [1] ELSE [] END | SET d:Retracted)
