package cypher

// Statements of decisions.
var (
	PreservedSet          = writes("decisions/preserved_set")
	DecisionRecord        = writes("decisions/decision_record").notifies("Decision", "Verdict")
	DuplicatesFind        = reads("decisions/duplicates_find")
	DecisionResolve       = reads("decisions/decision_resolve")
	DecisionIDsWithPrefix = reads("decisions/decision_ids_with_prefix")
	NamesFirst            = reads("decisions/names_first")
	DecisionOfRequest     = reads("decisions/decision_of_request")
	DecisionDetails       = reads("decisions/decision_details")
	DecisionsLock         = writes("decisions/decisions_lock")
	DecisionUpdate        = writes("decisions/decision_update").notifies("Revision")
	DecisionsReview       = writes("decisions/decisions_review").notifies("Review")
	RetractedSet          = writes("decisions/retracted_set")
)

// Statements of decisions/precedents.
var (
	AgentSince                  = reads("decisions/precedents/agent_since")
	DecisionsDetails            = reads("decisions/precedents/decisions_details")
	DecisionsDescending         = reads("decisions/precedents/decisions_descending")
	DecisionsAscending          = reads("decisions/precedents/decisions_ascending")
	DecisionsFiltered           = reads("decisions/precedents/decisions_filtered")
	DecisionsByTagsOrConfidence = reads("decisions/precedents/decisions_by_tags_or_confidence")
	DecisionsCountInIndex       = reads("decisions/precedents/decisions_count_in_index")
	DecisionsByUID              = reads("decisions/precedents/decisions_by_uid")
	DecisionsCount              = reads("decisions/precedents/decisions_count")
	DecisionsTally              = reads("decisions/precedents/decisions_tally")
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
	CountBegin           = writes("decisions/counters/count_begin")
	CellsCount           = writes("decisions/counters/cells_count")
	CountEnd             = writes("decisions/counters/count_end")
	CellsOfKeys          = reads("decisions/counters/cells_of_keys")
	CellsBetween         = reads("decisions/counters/cells_between")
	CellsOfKind          = reads("decisions/counters/cells_of_kind")
	CellsOfScopes        = reads("decisions/counters/cells_of_scopes")
	CellsRecent          = reads("decisions/counters/cells_recent")
	CellsAll             = reads("decisions/counters/cells_all")
	CellsRepair          = writes("decisions/counters/cells_repair")
	CountersLock         = writes("decisions/counters/counters_lock")
	DecisionsCounted     = reads("decisions/counters/decisions_counted")
	DecisionsCountedAs   = reads("decisions/counters/decisions_counted_as")
	DecisionsCountedLock = writes("decisions/counters/decisions_counted_lock")
	DecisionsUncount     = writes("decisions/counters/decisions_uncount")
	PatternsConfirmed    = reads("decisions/counters/patterns_confirmed")
	PatternsOfScopes     = reads("decisions/counters/patterns_of_scopes")
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

// Joined statements of decisions/briefing.
var (
	// ContextAgentData reads the data of an agent on which the other reads of a session context depend.
	ContextAgentData = join("decisions/briefing/agent_data",
		Part{NamesFirst, "names", []string{"agent", "project"}},
		Part{ThresholdByName, "thresholds", []string{"id", "properties", "links"}},
		Part{CellsOfKeys, "counted", []string{"scope", "period", "cell"}},
		Part{AgentSince, "since", []string{"at"}},
		Part{PatternsConfirmed, "patterns", []string{"pattern", "key", "confirmed", "cell", "examples", "categories"}},
		Part{ProjectsByName, "projects", []string{"name", "key", "last_at", "chunks"}},
		Part{CellsRecent, "drift", []string{"scope", "category", "today", "cells"}})
	// ContextUrgent reads the urgent items of a project and the lessons of its reviews.
	ContextUrgent = join("decisions/briefing/urgent",
		Part{Overdue, "overdue", []string{"found", "now"}},
		Part{Stale, "stale", []string{"found", "now"}},
		Part{Wisdom, "wisdom", []string{"category", "pattern", "reviewed", "outcomes", "failed", "ids", "lessons", "confident", "confidences", "errors"}})
	// ContextNeighborhood reads the neighborhood of a context's decisions and contradictions among them.
	ContextNeighborhood = join("decisions/briefing/neighborhood",
		Part{DecisionsDetails, "around", []string{"position", "decision", "reasons", "actual_result", "lessons", "superseded_by", "links", "whole"}},
		Part{ContradictingPairs, "contradicted", []string{"links", "found"}},
		Part{SimilarPairs, "alike", []string{"looked", "without", "found"}})
)
