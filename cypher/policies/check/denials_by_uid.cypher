// Returns the denials $uids that the caller may see: uid, stored content and appeal.
MATCH (v:Verdict) WHERE v.uid IN $uids AND NOT v.allowed AND true /* visible: v:Verdict */
RETURN v.uid AS uid, properties(v) AS verdict, [(v)<-[:AGAINST]-(a:Appeal) | properties(a)][0] AS appeal
