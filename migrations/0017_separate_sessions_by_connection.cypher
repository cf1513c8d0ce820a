// An ambient session belongs to one connection, so that two windows of one client have two. Those that are open have none.
MATCH (s:Session) WHERE s.connection IS NULL AND s.ambient AND s.ended_at IS NULL AND s.last_at > datetime() - duration('P1D') SET s.connection = '';
CREATE INDEX session_connection IF NOT EXISTS FOR (s:Session) ON (s.agent, s.workspace, s.connection, s.last_at);
