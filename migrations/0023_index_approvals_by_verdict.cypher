// Creates an index on the verdicts of approval requests, so that lists of verdicts can say how each request was answered.
CREATE INDEX approval_verdict IF NOT EXISTS FOR (a:Approval) ON (a.verdict);
