// Works, beside files that do not.
RETURN 1 AS one
