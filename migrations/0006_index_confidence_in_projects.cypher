// A project's decisions in the order of how sure they were, so that such a list is read along an index whatever the size of the project.
CREATE INDEX decision_project_confidence IF NOT EXISTS FOR (d:Decision) ON (d.project, d.confidence, d.uid);
