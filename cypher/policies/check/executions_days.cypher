// Returns the numbers of executed tool calls of each day that the caller may see: all, those with a verdict, and those whose verdicts all deny. $after and $before limit the time; $client, $project: null for any.
MATCH (e:Execution) USING INDEX e:Execution(at, uid)
WHERE e.at >= $after AND e.at < $before AND e.uid >= ''
  AND true /* visible: e:Execution */
  AND ($client IS NULL OR e.client = $client)
  AND ($project IS NULL OR toLower(e.project) = toLower($project))
WITH e, EXISTS { (e)-[:UNDER]->() } AS checked, EXISTS { (e)-[:UNDER]->(:Verdict {allowed: true}) } AS allowed
RETURN toString(date(e.at)) AS day, count(e) AS executed, sum(CASE WHEN checked THEN 1 ELSE 0 END) AS with_verdict,
       sum(CASE WHEN checked THEN 0 ELSE 1 END) AS without_verdict, sum(CASE WHEN checked AND NOT allowed THEN 1 ELSE 0 END) AS despite_denial
ORDER BY day DESC
