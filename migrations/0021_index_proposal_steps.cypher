// Steps of proposals are found by their uid, and as events by their time.
CREATE CONSTRAINT proposal_step_uid IF NOT EXISTS FOR (s:ProposalStep) REQUIRE s.uid IS UNIQUE;
CREATE INDEX proposal_step_at IF NOT EXISTS FOR (s:ProposalStep) ON (s.at, s.uid);
