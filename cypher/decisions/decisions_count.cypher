// How many decisions there are.
MATCH (d:Decision) RETURN count(d) AS total
