// Returns open appeals that the caller may see, oldest first. $project, $agent (who appealed), $category: null for any. $limit, and the clock.
CALL () {
  MATCH (a:Appeal)
  WHERE a.state = 'open' AND true /* visible: a:Appeal */
    AND ($project IS NULL OR toLower(a.project) = toLower($project))
    AND ($agent IS NULL OR toLower(a.agent) = toLower($agent))
    AND ($category IS NULL OR a.category = $category)
  WITH a ORDER BY a.at, a.uid LIMIT $limit
  RETURN collect({id: a.verdict, title: a.description, by: a.agent, stakes: a.stakes, category: a.category, at: a.at}) AS found
}
RETURN found, datetime() AS now
