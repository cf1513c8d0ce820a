package cypher

// Statements of policies.
var (
	TablesByID = reads("policies/tables_by_id")
)

// Statements of policies/history.
var (
	PolicyNames        = reads("policies/history/policy_names")
	ThresholdNames     = reads("policies/history/threshold_names")
	Contents           = reads("policies/history/contents")
	LastSeen           = reads("policies/history/last_seen")
	ChangesRecord      = writes("policies/history/changes_record").notifies("SYS_Change")
	AuditEntries       = reads("policies/history/audit_entries")
	ChangesOf          = reads("policies/history/changes_of")
	ContentAt          = reads("policies/history/content_at")
	ContentNow         = reads("policies/history/content_now")
	ContentOfVersion   = reads("policies/history/content_of_version")
	PoliciesContents   = reads("policies/history/policies_contents")
	ThresholdsContents = reads("policies/history/thresholds_contents")
	TablesContents     = reads("policies/history/tables_contents")
	AtlasesContents    = reads("policies/history/atlases_contents")
	ContextsContents   = reads("policies/history/contexts_contents")
	ProjectsOfVersions = reads("policies/history/projects_of_versions")
	NodesDeleted       = reads("policies/history/nodes_deleted")
	NamesDeleted       = reads("policies/history/names_deleted")
	SyncBegin          = writes("policies/history/sync_begin")
	SyncEnd            = writes("policies/history/sync_end")
	NodesLock          = writes("policies/history/nodes_lock")
)

// Statements of policies/live.
var (
	PolicyByName      = reads("policies/live/policy_by_name")
	ThresholdByName   = reads("policies/live/threshold_by_name")
	PoliciesPage      = reads("policies/live/policies_page")
	PoliciesCount     = reads("policies/live/policies_count")
	ThresholdsPage    = reads("policies/live/thresholds_page")
	ThresholdsCount   = reads("policies/live/thresholds_count")
	FederationSources = reads("policies/live/federation_sources")
	SubjectConcepts   = reads("policies/live/subject_concepts")
	NamesDuplicate    = reads("policies/live/names_duplicate")
)

// Statements of policies/table.
var (
	TableRows   = reads("policies/table/table_rows").ofLeader()
	TableNames  = reads("policies/table/table_names")
	TablesPage  = reads("policies/table/tables_page")
	TablesCount = reads("policies/table/tables_count")
)

// Statements of policies/check.
var (
	AutonomyReviews  = reads("policies/check/autonomy_reviews").ofLeader() // the pattern of rules about earned autonomy
	ConsensusInForce = reads("policies/check/consensus_in_force").ofLeader()
	RulesInForce     = reads("policies/check/rules_in_force").ofLeader()
	RulesDeactivated = reads("policies/check/rules_deactivated")
	VerdictsRecord   = writes("policies/check/verdicts_record").notifies("Verdict")
	RevisionLock     = writes("policies/check/revision_lock")
	RevisionRecord   = writes("policies/check/revision_record")
	VerdictByUID     = reads("policies/check/verdict_by_uid")
	DenialsByUID     = reads("policies/check/denials_by_uid")
	VerdictsAll      = reads("policies/check/verdicts_all")
	VerdictsOfRule   = reads("policies/check/verdicts_of_rule")
	VerdictsOfAgent  = reads("policies/check/verdicts_of_agent")
	VerdictsOfResult = reads("policies/check/verdicts_of_result")
	AppealCreate     = writes("policies/check/appeal_create").notifies("Appeal")
	AppealDecide     = writes("policies/check/appeal_decide").notifies("Appeal")
	AppealsFound     = reads("policies/check/appeals_found")
	VerdictsPrune    = writes("policies/check/verdicts_prune")
	VerdictsOld      = reads("policies/check/verdicts_old")
	ExecutionsRecord = writes("policies/check/executions_record")
	ExecutionsDays   = reads("policies/check/executions_days")
	ExecutionsGaps   = reads("policies/check/executions_gaps")
	UnknownPrograms  = reads("policies/check/unknown_programs")
	ExecutionsPrune  = writes("policies/check/executions_prune")
	ExecutionsOld    = reads("policies/check/executions_old")
)

// Statements of policies/circuit.
var (
	CircuitsReset = reads("policies/circuit/circuits_reset")
	CircuitReset  = writes("policies/circuit/circuit_reset").notifies("CircuitReset")
)

// Statements of policies/pack.
var (
	PackOwned     = reads("policies/pack/pack_owned")
	PackOfAll     = reads("policies/pack/pack_of_all")
	PackNames     = reads("policies/pack/pack_names")
	CircuitStates = reads("policies/check/circuit_states") // for several breakers with the shipped pattern
	CircuitState  = reads("policies/check/circuit_state")  // the pattern of circuit breakers without their own
	LimitState    = reads("policies/pack/limit_state")     // the pattern of limits
)

// Statements of policies/change.
var (
	PackNodes          = reads("policies/change/pack_nodes")
	PackState          = reads("policies/change/pack_state")
	PackLock           = writes("policies/change/pack_lock")
	PackRecord         = writes("policies/change/pack_record")
	PackContentsStore  = writes("policies/change/pack_contents_store")
	PackModeChoose     = writes("policies/change/pack_mode_choose")
	PackOwn            = writes("policies/change/pack_own")
	RulesUnowned       = reads("policies/change/rules_unowned")
	NodesCreate        = writes("policies/change/nodes_create")
	FreezeSubjectKnown = reads("policies/change/freeze_subject_known")
	NodesUpdate        = writes("policies/change/nodes_update")
	NodesRemove        = writes("policies/change/nodes_remove")
	LinksCreate        = writes("policies/change/links_create")
	LinksRemove        = writes("policies/change/links_remove")
	ThresholdReaders   = reads("policies/change/threshold_readers")
	PacksApplied       = reads("policies/change/packs_applied")
	PackPast           = reads("policies/change/pack_past")
	AtlasesDependent   = reads("policies/change/atlases_dependent")
	NodesNeeded        = reads("policies/change/nodes_needed")
	PackRemove         = writes("policies/change/pack_remove")
)

// Statements of policies/cases.
var (
	ScratchClear = writes("policies/cases/scratch_clear")
	ScratchFill  = writes("policies/cases/scratch_fill")
)

// Statements of policies/lint.
var (
	LintGraph = reads("policies/lint/lint_graph")
)

// Statements of policies/proposals.
var (
	ProposalWrite       = writes("policies/proposals/proposal_write").notifies("ProposalStep")
	ProposalLock        = writes("policies/proposals/proposal_lock")
	ProposalChangeState = writes("policies/proposals/proposal_change_state").notifies("ProposalStep")
	ProposalsFound      = reads("policies/proposals/proposals_found")
	ProposalsPending    = reads("policies/proposals/proposals_pending")
	ProposalSources     = reads("policies/proposals/proposal_sources")
)

// Statements of policies/lab.
var (
	Acts             = reads("policies/lab/acts")
	ImpactPolicy     = reads("policies/lab/impact_policy")
	ImpactThreshold  = reads("policies/lab/impact_threshold")
	ImpactApprovals  = reads("policies/lab/impact_approvals")
	ImpactViolated   = reads("policies/lab/impact_violated")
	ImpactDependents = reads("policies/lab/impact_dependents")
	ImpactDecision   = reads("policies/lab/impact_decision")
	ProposedFlips    = reads("policies/lab/proposed_flips")
	RulesSince       = reads("policies/lab/rules_since")
)
