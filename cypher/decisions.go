package cypher

// Statements of decisions.
var (
	DecisionRecord        = writes("decisions/decision_record").notifies("Decision", "Verdict")
	DuplicatesFind        = reads("decisions/duplicates_find")
	DecisionResolve       = reads("decisions/decision_resolve")
	DecisionIDsWithPrefix = reads("decisions/decision_ids_with_prefix")
	NamesFirst            = reads("decisions/names_first")
	DecisionOfRequest     = reads("decisions/decision_of_request")
	DecisionDetails       = reads("decisions/decision_details")
	DecisionLock          = writes("decisions/decision_lock")
	DecisionUpdate        = writes("decisions/decision_update").notifies("Revision")
	DecisionReview        = writes("decisions/decision_review").notifies("Review")
)

// Statements of decisions/precedents.
var (
	AgentSince            = reads("decisions/precedents/agent_since")
	DecisionsDetails      = reads("decisions/precedents/decisions_details")
	DecisionsDescending   = reads("decisions/precedents/decisions_descending")
	DecisionsAscending    = reads("decisions/precedents/decisions_ascending")
	DecisionsFiltered     = reads("decisions/precedents/decisions_filtered")
	DecisionsCountInIndex = reads("decisions/precedents/decisions_count_in_index")
	DecisionsByUID        = reads("decisions/precedents/decisions_by_uid")
	DecisionsCount        = reads("decisions/precedents/decisions_count")
	DecisionsTally        = reads("decisions/precedents/decisions_tally")
)

// Statements of decisions/links.
var (
	LinkCreate               = writes("decisions/links/link_create").notifies("LinkChange")
	LinkRemove               = writes("decisions/links/link_remove").notifies("LinkChange")
	LinksTraverse            = reads("decisions/links/links_traverse")
	LinksOfDecision          = reads("decisions/links/links_of_decision")
	PathBetween              = reads("decisions/links/path_between")
	DecisionsViolatingPolicy = reads("decisions/links/decisions_violating_policy")
	PoliciesOfThreshold      = reads("decisions/links/policies_of_threshold")
	FailedWithDependents     = reads("decisions/links/failed_with_dependents")
)

// Statements of decisions/counters.
var (
	CountBegin         = writes("decisions/counters/count_begin")
	CellsCount         = writes("decisions/counters/cells_count")
	CountEnd           = writes("decisions/counters/count_end")
	CellsOfKeys        = reads("decisions/counters/cells_of_keys")
	GroupsOfKind       = reads("decisions/counters/groups_of_kind")
	CellsOfScopes      = reads("decisions/counters/cells_of_scopes")
	CellsRecent        = reads("decisions/counters/cells_recent")
	CellsAll           = reads("decisions/counters/cells_all")
	CellsRepair        = writes("decisions/counters/cells_repair")
	CountersLock       = writes("decisions/counters/counters_lock")
	DecisionsCounted   = reads("decisions/counters/decisions_counted")
	DecisionsCountedAs = reads("decisions/counters/decisions_counted_as")
	DecisionsUncount   = writes("decisions/counters/decisions_uncount")
	PatternsConfirmed  = reads("decisions/counters/patterns_confirmed")
	PatternsOfScopes   = reads("decisions/counters/patterns_of_scopes")
)

// Statements of decisions/imports.
var (
	ImportKnown      = reads("decisions/imports/import_known")
	ImportTargets    = reads("decisions/imports/import_targets")
	ImportSupersedes = reads("decisions/imports/import_supersedes")
	SupersedesLock   = writes("decisions/imports/supersedes_lock")
	ImportLock       = writes("decisions/imports/import_lock")
	ImportCreate     = writes("decisions/imports/import_create").notifies("Decision", "Review")
	ImportUpdate     = writes("decisions/imports/import_update").notifies("Review", "Revision")
	ImportLinks      = writes("decisions/imports/import_links")
)

// Statements of decisions/insights.
var (
	Overdue            = reads("decisions/insights/overdue")
	Stale              = reads("decisions/insights/stale")
	ProposalsUndecided = reads("decisions/insights/proposals_undecided")
	AppealsUndecided   = reads("decisions/insights/appeals_undecided")
	ContradictingPairs = reads("decisions/insights/contradicting_pairs")
	SimilarPairs       = reads("decisions/insights/similar_pairs")
	Today              = reads("decisions/insights/today")
	Wisdom             = reads("decisions/insights/wisdom")
	Compacted          = reads("decisions/insights/compacted")
	CompactionLevels   = reads("decisions/insights/compaction_levels")
	Salient            = reads("decisions/insights/salient")
)

// Statements of decisions/attribution.
var (
	Attributable = reads("decisions/attribution/attributable")
)

// Statements of decisions/audit.
var (
	AuditSessions  = reads("decisions/audit/audit_sessions")
	AuditDecisions = reads("decisions/audit/audit_decisions")
	AuditVerdicts  = reads("decisions/audit/audit_verdicts")
	AuditApprovals = reads("decisions/audit/audit_approvals")
	AuditRevisions = reads("decisions/audit/audit_revisions")
	AuditVersions  = reads("decisions/audit/audit_versions")
)
