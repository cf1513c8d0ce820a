// Atlases and their contexts are found by their ids, and what was used up of a limit along one index.
CREATE INDEX atlas_id IF NOT EXISTS FOR (a:Atlas) ON (a.atlas_id);
CREATE INDEX context_id IF NOT EXISTS FOR (c:Context) ON (c.context_id);
CREATE INDEX verdict_counted IF NOT EXISTS FOR (v:Verdict) ON (v.counted_for, v.at);
