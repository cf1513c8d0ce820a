// Contexts are found by the way in which they are given, requests by whether they wait, what was given and said by when, and needs that
// found nothing by what they say.
CREATE INDEX context_mode IF NOT EXISTS FOR (c:Context) ON (c.inject_mode);
CREATE INDEX approval_state IF NOT EXISTS FOR (a:Approval) ON (a.state, a.asked_at);
CREATE INDEX context_given_at IF NOT EXISTS FOR ()-[g:GAVE]-() ON (g.at);
CREATE INDEX feedback_at IF NOT EXISTS FOR (f:Feedback) ON (f.at);
CREATE CONSTRAINT unmet_need_key IF NOT EXISTS FOR (u:UnmetNeed) REQUIRE u.key IS UNIQUE;
CREATE CONSTRAINT unmet_need_uid IF NOT EXISTS FOR (u:UnmetNeed) REQUIRE u.uid IS UNIQUE;
CREATE INDEX unmet_need_last IF NOT EXISTS FOR (u:UnmetNeed) ON (u.last_at);
