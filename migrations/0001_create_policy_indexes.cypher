// Indexes for reading by name, and uniqueness for what is ours alone. Nothing constrains nodes that others may have written.
CREATE CONSTRAINT sys_migration_version IF NOT EXISTS FOR (m:SYS_Migration) REQUIRE m.version IS UNIQUE;
CREATE CONSTRAINT sys_lock_name IF NOT EXISTS FOR (l:SYS_Lock) REQUIRE l.name IS UNIQUE;
CREATE CONSTRAINT sys_pack_name IF NOT EXISTS FOR (p:SYS_Pack) REQUIRE p.name IS UNIQUE;
CREATE CONSTRAINT sys_change_uid IF NOT EXISTS FOR (c:SYS_Change) REQUIRE c.uid IS UNIQUE;
CREATE INDEX sys_change_name IF NOT EXISTS FOR (c:SYS_Change) ON (c.label, c.name);
CREATE INDEX sys_policy_name IF NOT EXISTS FOR (p:SYS_Policy) ON (p.name);
CREATE INDEX sys_threshold_name IF NOT EXISTS FOR (t:SYS_Threshold) ON (t.name);
CREATE INDEX sys_decision_table_id IF NOT EXISTS FOR (t:SYS_DecisionTable) ON (t.table_id);
CREATE INDEX sys_federation_source_name IF NOT EXISTS FOR (s:SYS_FederationSource) ON (s.name);
CREATE INDEX subject_concept_id IF NOT EXISTS FOR (s:SubjectConcept) ON (s.subject_id);
