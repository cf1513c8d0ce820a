// Intents are found by their id, by what their agent calls them, and newest first; voices by their id and in time.
CREATE CONSTRAINT intent_uid IF NOT EXISTS FOR (i:Intent) REQUIRE i.uid IS UNIQUE;
CREATE CONSTRAINT intent_correlation IF NOT EXISTS FOR (i:Intent) REQUIRE (i.agent_key, i.correlation_id) IS UNIQUE;
CREATE INDEX intent_called IF NOT EXISTS FOR (i:Intent) ON (i.correlation_id);
CREATE INDEX intent_at IF NOT EXISTS FOR (i:Intent) ON (i.at, i.uid);
CREATE INDEX intent_of_agent IF NOT EXISTS FOR (i:Intent) ON (i.agent_key, i.at, i.uid);
CREATE CONSTRAINT voice_uid IF NOT EXISTS FOR (v:Voice) REQUIRE v.uid IS UNIQUE;
CREATE INDEX voice_at IF NOT EXISTS FOR (v:Voice) ON (v.at, v.uid);
