// What happens in sessions, to requests and to links is read along indexes on times.
CREATE INDEX approval_asked_uid IF NOT EXISTS FOR (a:Approval) ON (a.asked_at, a.uid);
CREATE INDEX approval_answered IF NOT EXISTS FOR (a:Approval) ON (a.answered_at, a.uid);
CREATE INDEX trace_event_at IF NOT EXISTS FOR (e:TraceEvent) ON (e.at, e.uid);
CREATE CONSTRAINT link_change_uid IF NOT EXISTS FOR (l:LinkChange) REQUIRE l.uid IS UNIQUE;
CREATE INDEX link_change_at IF NOT EXISTS FOR (l:LinkChange) ON (l.at, l.uid);
