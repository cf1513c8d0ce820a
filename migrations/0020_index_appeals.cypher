// Appeals are found by their uid, by state, and as events by their times.
CREATE CONSTRAINT appeal_uid IF NOT EXISTS FOR (a:Appeal) REQUIRE a.uid IS UNIQUE;
CREATE INDEX appeal_state IF NOT EXISTS FOR (a:Appeal) ON (a.state, a.at);
CREATE INDEX appeal_at IF NOT EXISTS FOR (a:Appeal) ON (a.at, a.uid);
CREATE INDEX appeal_decided IF NOT EXISTS FOR (a:Appeal) ON (a.decided_at, a.uid);
