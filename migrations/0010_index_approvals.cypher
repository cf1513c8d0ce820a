// What people are asked is found by its id, by who asks for what, by its action, and newest first.
CREATE CONSTRAINT approval_uid IF NOT EXISTS FOR (a:Approval) REQUIRE a.uid IS UNIQUE;
CREATE INDEX approval_request IF NOT EXISTS FOR (a:Approval) ON (a.agent_key, a.params_hash);
CREATE INDEX approval_action IF NOT EXISTS FOR (a:Approval) ON (a.action, a.asked_at);
CREATE INDEX approval_asked IF NOT EXISTS FOR (a:Approval) ON (a.asked_at);
