// Marks the locked decision $uid as one that is retracted, or not ($retracted), so that whatever looks for decisions passes it over.
MATCH (d:Decision {uid: $uid})
REMOVE d:Retracted
FOREACH (_ IN CASE WHEN $retracted THEN [1] ELSE [] END | SET d:Retracted)
