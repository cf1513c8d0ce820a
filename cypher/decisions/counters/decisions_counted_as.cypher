// What is counted of each decision, as far as anything is.
MATCH (d:Decision) WHERE d.counted_as IS NOT NULL
RETURN d.counted_as AS counted_as
