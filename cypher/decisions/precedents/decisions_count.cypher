// Returns the number of decisions, and how many of them are retracted.
CALL () { MATCH (d:Decision) RETURN count(d) AS total }
CALL () { MATCH (r:Retracted) RETURN count(r) AS retracted }
RETURN total, retracted
