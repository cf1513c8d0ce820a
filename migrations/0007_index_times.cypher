// What happened is found by when it happened, so that what is new is read along an index.
CREATE INDEX sys_change_at IF NOT EXISTS FOR (c:SYS_Change) ON (c.at, c.uid);
CREATE INDEX revision_at IF NOT EXISTS FOR (r:Revision) ON (r.at, r.uid);
CREATE INDEX review_at IF NOT EXISTS FOR (r:Review) ON (r.at, r.uid);
CREATE INDEX circuit_reset_at IF NOT EXISTS FOR (r:CircuitReset) ON (r.at, r.uid);
