// Memory is found by uid, in the order of its sessions, by project and by time, by words and by vectors. Sessions and decisions that are there already are remembered.
CREATE CONSTRAINT chunk_uid IF NOT EXISTS FOR (c:Chunk) REQUIRE c.uid IS UNIQUE;
CREATE CONSTRAINT chunk_place IF NOT EXISTS FOR (c:Chunk) REQUIRE (c.session, c.position) IS UNIQUE;
CREATE CONSTRAINT chunk_decision IF NOT EXISTS FOR (c:Chunk) REQUIRE c.decision IS UNIQUE;
CREATE CONSTRAINT forgotten_place IF NOT EXISTS FOR (f:ForgottenChunk) REQUIRE (f.session, f.position) IS UNIQUE;
CREATE CONSTRAINT forgotten_uid IF NOT EXISTS FOR (f:ForgottenChunk) REQUIRE f.uid IS UNIQUE;
CREATE CONSTRAINT forgotten_decision IF NOT EXISTS FOR (f:ForgottenChunk) REQUIRE f.decision IS UNIQUE;
CREATE INDEX chunk_project IF NOT EXISTS FOR (c:Chunk) ON (c.project, c.at, c.uid);
CREATE INDEX chunk_at IF NOT EXISTS FOR (c:Chunk) ON (c.at, c.uid);
CREATE INDEX chunk_agent IF NOT EXISTS FOR (c:Chunk) ON (c.agent, c.at, c.uid);
CREATE INDEX chunk_session IF NOT EXISTS FOR (c:Chunk) ON (c.session, c.at, c.uid);
CREATE CONSTRAINT memory_project_key IF NOT EXISTS FOR (p:MemoryProject) REQUIRE p.key IS UNIQUE;
CREATE CONSTRAINT session_external IF NOT EXISTS FOR (s:Session) REQUIRE (s.source, s.external_id) IS UNIQUE;
CREATE INDEX session_project IF NOT EXISTS FOR (s:Session) ON (s.project, s.remembered_from, s.uid);
CREATE FULLTEXT INDEX chunk_text IF NOT EXISTS FOR (c:Chunk) ON EACH [c.text, c.terms, c.facets]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
CREATE VECTOR INDEX chunk_embedding_text IF NOT EXISTS FOR (e:ChunkEmbedding) ON e.text OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
MATCH (s:Session) WHERE s.count > 0 CALL (s) { SET s:Unremembered } IN TRANSACTIONS OF 10000 ROWS;
MATCH (d:Decision) CALL (d) { SET d:Unremembered } IN TRANSACTIONS OF 10000 ROWS;
