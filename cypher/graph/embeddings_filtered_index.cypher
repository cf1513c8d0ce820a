// Creates the vector index that filters during the search, for servers that support it. It includes the single-valued facets of each passage's decision.
CYPHER 25 CREATE VECTOR INDEX embedding_filtered IF NOT EXISTS FOR (e:Embedding) ON e.text
WITH [e.category, e.stakes, e.status, e.project, e.agent, e.retracted]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}}
