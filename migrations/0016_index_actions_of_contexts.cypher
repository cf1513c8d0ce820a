// Contexts that are given for actions are found without looking through the others.
CREATE INDEX context_when IF NOT EXISTS FOR (c:Context) ON (c.inject_when);
