// Proposals are found by uid, by state, and newest first.
CREATE CONSTRAINT proposal_uid IF NOT EXISTS FOR (p:Proposal) REQUIRE p.uid IS UNIQUE;
CREATE CONSTRAINT replay_uid IF NOT EXISTS FOR (r:Replay) REQUIRE r.uid IS UNIQUE;
CREATE INDEX proposal_state IF NOT EXISTS FOR (p:Proposal) ON (p.state, p.created_at);
CREATE INDEX proposal_created IF NOT EXISTS FOR (p:Proposal) ON (p.created_at);
