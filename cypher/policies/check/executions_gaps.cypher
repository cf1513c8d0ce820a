// Returns the executed tool calls without a verdict that the caller may see, grouped by client, version, event, kind, source and reason, most frequent first. $after and $before limit the time; $client, $project: null for any. $limit.
MATCH (e:Execution) USING INDEX e:Execution(at, uid)
WHERE e.at >= $after AND e.at < $before AND e.uid >= '' AND NOT EXISTS { (e)-[:UNDER]->() }
  AND true /* visible: e:Execution */
  AND ($client IS NULL OR e.client = $client)
  AND ($project IS NULL OR toLower(e.project) = toLower($project))
WITH e.client AS client, coalesce(e.version, '') AS version, e.event AS event, e.kind AS kind, e.source AS source, e.reason AS reason, count(e) AS calls, max(e.at) AS last_at
RETURN client, version, event, kind, source, coalesce(reason, 'no_hook') AS reason, calls, last_at
ORDER BY calls DESC, client, version, event, kind, reason LIMIT $limit
