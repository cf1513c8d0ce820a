// Tokens are found by the hash of their secret, and what was done with them by name, day and operation.
CREATE CONSTRAINT token_uid IF NOT EXISTS FOR (t:Token) REQUIRE t.uid IS UNIQUE;
CREATE CONSTRAINT token_hash IF NOT EXISTS FOR (t:Token) REQUIRE t.hash IS UNIQUE;
CREATE CONSTRAINT token_usage IF NOT EXISTS FOR (u:TokenUsage) REQUIRE (u.key, u.day, u.operation) IS UNIQUE;
