// Returns proposals that need approval, application or another replay and that the caller may see, oldest first, with the time since when. $project, $agent (its proposer): null for any. $limit, and the clock.
CALL () {
  MATCH (p:Proposal)
  WHERE p.state IN ['open', 'approved', 'stale'] AND true /* visible: p:Proposal */
    AND ($project IS NULL OR toLower(p.project) = toLower($project))
    AND ($agent IS NULL OR toLower(p.proposed_by) = toLower($agent))
  WITH p, coalesce(p.decided_at, p.opened_at, p.created_at) AS at
  ORDER BY at, p.uid LIMIT $limit
  RETURN collect({id: p.uid, title: reduce(text = '', word IN p.words | CASE text WHEN '' THEN word ELSE text + '; ' + word END), by: p.proposed_by, state: p.state, at: at}) AS found
}
RETURN found, datetime() AS now
