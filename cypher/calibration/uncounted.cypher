// How many decisions are not counted as they are now.
MATCH (u:Uncounted) RETURN count(u) AS pending
