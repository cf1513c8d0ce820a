// Subscribes the peer at $url, called $name, to what is shared with $audience and $projects, from now on, or from the beginning if $all. With $stop it ends the subscription.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1, p.name = $name
SET p.subscribed_at = CASE WHEN $stop THEN null ELSE coalesce(p.subscribed_at, datetime()) END,
    p.audience = CASE WHEN $stop THEN null ELSE $audience END, p.audience_projects = CASE WHEN $stop THEN null ELSE $projects END,
    p.pushed_to = CASE WHEN $stop THEN null WHEN $all THEN datetime('1970-01-01T00:00:00Z') ELSE coalesce(p.pushed_to, datetime()) END
