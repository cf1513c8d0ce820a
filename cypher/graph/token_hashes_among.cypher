// Returns those of $texts that are hashes of token secrets.
MATCH (t:Token) WHERE t.hash IN $texts
RETURN DISTINCT t.hash AS hash
