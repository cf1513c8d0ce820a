// Contexts get full text and vectors; what was given in a session and each voice of feedback are found along an index.
CREATE INDEX context_uid IF NOT EXISTS FOR (c:Context) ON (c.uid);
CREATE FULLTEXT INDEX context_text IF NOT EXISTS FOR (c:Context) ON EACH [c.name, c.keywords, c.content]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
CREATE VECTOR INDEX context_embedding_text IF NOT EXISTS FOR (e:ContextEmbedding) ON e.text OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE INDEX context_given IF NOT EXISTS FOR ()-[g:GAVE]-() ON (g.session);
CREATE CONSTRAINT feedback_uid IF NOT EXISTS FOR (f:Feedback) REQUIRE f.uid IS UNIQUE;
CREATE CONSTRAINT feedback_voice IF NOT EXISTS FOR (f:Feedback) REQUIRE f.voice IS UNIQUE;
