// The hashes of the ids of browser sessions that were signed out and whose cookies still last, or only $hash where that is given, each with how many milliseconds it has left.
MATCH (s:SignOut) WHERE ($hash IS NULL OR s.hash = $hash) AND s.until > datetime()
RETURN s.hash AS hash, s.until.epochMillis - datetime().epochMillis AS left
