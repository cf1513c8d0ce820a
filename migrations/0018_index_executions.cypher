// Executed tool calls are counted once each, and matched with the verdicts of their checks along indexes.
CREATE CONSTRAINT execution_uid IF NOT EXISTS FOR (e:Execution) REQUIRE e.uid IS UNIQUE;
CREATE CONSTRAINT execution_call IF NOT EXISTS FOR (e:Execution) REQUIRE e.call IS UNIQUE;
CREATE INDEX execution_at IF NOT EXISTS FOR (e:Execution) ON (e.at, e.uid);
CREATE INDEX verdict_tool_call IF NOT EXISTS FOR (v:Verdict) ON (v.tool_call);
CREATE INDEX verdict_content IF NOT EXISTS FOR (v:Verdict) ON (v.content, v.at);
CREATE INDEX verdict_client_session IF NOT EXISTS FOR (v:Verdict) ON (v.client_session);
