// Versions get one label in common and a pointer to the one that is in force; guardrails, verdicts and revisions get their indexes.
CREATE INDEX sys_version_hash IF NOT EXISTS FOR (v:SYS_Version) ON (v.hash);
CREATE INDEX sys_version_name IF NOT EXISTS FOR (v:SYS_Version) ON (v.of, v.name);
CREATE INDEX sys_change_time IF NOT EXISTS FOR (c:SYS_Change) ON (c.label, c.name, c.at, c.uid);
CREATE CONSTRAINT sys_revision_hash IF NOT EXISTS FOR (r:SYS_Revision) REQUIRE r.hash IS UNIQUE;
CREATE INDEX sys_policy_requires IF NOT EXISTS FOR (p:SYS_Policy) ON (p.requires);
CREATE INDEX sys_policy_forbids_pattern IF NOT EXISTS FOR (p:SYS_Policy) ON (p.forbids_pattern);
CREATE INDEX sys_decision_row_id IF NOT EXISTS FOR (r:SYS_DecisionRow) ON (r.row_id);
CREATE CONSTRAINT verdict_uid IF NOT EXISTS FOR (v:Verdict) REQUIRE v.uid IS UNIQUE;
CREATE INDEX verdict_at IF NOT EXISTS FOR (v:Verdict) ON (v.at, v.uid);
CREATE INDEX verdict_allowed IF NOT EXISTS FOR (v:Verdict) ON (v.allowed, v.at, v.uid);
CREATE INDEX verdict_agent IF NOT EXISTS FOR (v:Verdict) ON (v.agent, v.at, v.uid);
CREATE INDEX verdict_revision IF NOT EXISTS FOR (v:Verdict) ON (v.revision, v.at);
CREATE CONSTRAINT verdict_tally_day IF NOT EXISTS FOR (t:VerdictTally) REQUIRE t.day IS UNIQUE;
MATCH (n)-[:HAS_VERSION]->(v)
WHERE (n:SYS_Policy OR n:SYS_Threshold OR n:SYS_DecisionTable OR n:SYS_FederationSource OR n:SubjectConcept)
  AND (v:SYS_PolicyVersion OR v:SYS_ThresholdVersion OR v:SYS_DecisionTableVersion OR v:SYS_FederationSourceVersion OR v:SubjectConceptVersion)
SET v:SYS_Version, v.of = [label IN labels(n) WHERE label IN ['SYS_Policy', 'SYS_Threshold', 'SYS_DecisionTable', 'SYS_FederationSource', 'SubjectConcept']][0];
MATCH (v) WHERE (v:SYS_PolicyVersion OR v:SYS_ThresholdVersion OR v:SYS_DecisionTableVersion OR v:SYS_FederationSourceVersion OR v:SubjectConceptVersion) AND v.of IS NULL
SET v:SYS_Version, v.of = replace([label IN labels(v) WHERE label ENDS WITH 'Version' AND label <> 'SYS_Version'][0], 'Version', '');
MATCH (n)-[:CHANGED]->(c:SYS_Change)
WITH n, c ORDER BY c.at DESC, c.uid DESC
WITH n, collect(c.to)[0] AS hash
MATCH (n)-[:HAS_VERSION]->(v:SYS_Version {hash: hash})
MERGE (n)-[:CURRENT_VERSION]->(v);
