// Those of $texts by which secrets of tokens are known.
MATCH (t:Token) WHERE t.hash IN $texts
RETURN DISTINCT t.hash AS hash
