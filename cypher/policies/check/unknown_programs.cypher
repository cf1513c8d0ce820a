// Returns the programs in checked commands that nothing describes, with the number of verdicts that the caller may see and the last time, most frequent first. $after and $before limit the time; $agent, $project: null for any. $limit.
MATCH (v:Verdict) USING INDEX SEEK v:Verdict(at, uid)
WHERE v.at >= $after AND v.at < $before AND v.uid >= '' AND v.unknown_programs IS NOT NULL
  AND true /* visible: v:Verdict */
  AND ($agent IS NULL OR v.agent = $agent)
  AND ($project IS NULL OR toLower(v.project) = toLower($project))
UNWIND v.unknown_programs AS program
WITH program, count(v) AS verdicts, max(v.at) AS last_at
RETURN program, verdicts, last_at ORDER BY verdicts DESC, program LIMIT $limit
