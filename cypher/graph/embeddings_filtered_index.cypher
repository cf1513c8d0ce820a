// The vector index that leaves out inside itself what a filter does not let through, where the server has such: of every passage the facets of its decision that have one value.
CYPHER 25 CREATE VECTOR INDEX embedding_filtered IF NOT EXISTS FOR (e:Embedding) ON e.text
WITH [e.category, e.stakes, e.status, e.project, e.agent, e.retracted]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}
