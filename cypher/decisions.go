package cypher

// Statements of decisions.
var (
	PreservedMark     = writes("decisions/preserved_mark")
	DecisionRecord    = writes("decisions/decision_record").notifies("Decision", "Verdict")
	DuplicatesFind    = reads("decisions/duplicates_find")
	DecisionResolve   = reads("decisions/decision_resolve")
	DecisionIDsNear   = reads("decisions/decision_ids_near")
	NamesFirst        = reads("decisions/names_first")
	DecisionOfRequest = reads("decisions/decision_of_request")
	DecisionWhole     = reads("decisions/decision_whole")
	DecisionsLock     = writes("decisions/decisions_lock")
	DecisionUpdate    = writes("decisions/decision_update").notifies("Revision")
	DecisionsReview   = writes("decisions/decisions_review").notifies("Review")
	RetractedMark     = writes("decisions/retracted_mark")
)

// Statements of decisions/precedents.
var (
	AgentSince       = reads("decisions/precedents/agent_since")
	DecisionsAround  = reads("decisions/precedents/decisions_around")
	DecisionsFalling = reads("decisions/precedents/decisions_falling")
	DecisionsRising  = reads("decisions/precedents/decisions_rising")
	DecisionsChosen  = reads("decisions/precedents/decisions_chosen")
	DecisionsFew     = reads("decisions/precedents/decisions_few")
	DecisionsLeft    = reads("decisions/precedents/decisions_left")
	DecisionsByUID   = reads("decisions/precedents/decisions_by_uid")
	DecisionsCount   = reads("decisions/precedents/decisions_count")
	DecisionsTallied = reads("decisions/precedents/decisions_tallied")
)

// Statements of decisions/links.
var (
	LinkCreate          = writes("decisions/links/link_create").notifies("LinkChange")
	LinkRemove          = writes("decisions/links/link_remove").notifies("LinkChange")
	LinksWalk           = reads("decisions/links/links_walk")
	LinksNear           = reads("decisions/links/links_near")
	PathBetween         = reads("decisions/links/path_between")
	JudgedByPolicy      = reads("decisions/links/judged_by_policy")
	PoliciesOfThreshold = reads("decisions/links/policies_of_threshold")
	FailedStoodOn       = reads("decisions/links/failed_stood_on")
)

// Statements of decisions/counters.
var (
	CountBegin         = writes("decisions/counters/count_begin")
	CellsCount         = writes("decisions/counters/cells_count")
	CountEnd           = writes("decisions/counters/count_end")
	CellsOfKeys        = reads("decisions/counters/cells_of_keys")
	CellsBetween       = reads("decisions/counters/cells_between")
	CellsOfKind        = reads("decisions/counters/cells_of_kind")
	CellsOfScopes      = reads("decisions/counters/cells_of_scopes")
	CellsLately        = reads("decisions/counters/cells_lately")
	CellsAll           = reads("decisions/counters/cells_all")
	CellsMend          = writes("decisions/counters/cells_mend")
	CountersLock       = writes("decisions/counters/counters_lock")
	DecisionsCounted   = reads("decisions/counters/decisions_counted")
	DecisionsCountedAs = reads("decisions/counters/decisions_counted_as")
	CountedAgain       = writes("decisions/counters/decisions_counted_again")
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
	Contradicted       = reads("decisions/insights/contradicted")
	Alike              = reads("decisions/insights/alike")
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
	// ContextSettled reads the data of an agent on which the other reads of a session context depend.
	ContextSettled = join("decisions/briefing/settled",
		Part{NamesFirst, "names", []string{"agent", "project"}},
		Part{ThresholdByName, "thresholds", []string{"id", "properties", "links"}},
		Part{CellsOfKeys, "counted", []string{"scope", "period", "cell"}},
		Part{AgentSince, "since", []string{"at"}},
		Part{PatternsConfirmed, "patterns", []string{"pattern", "key", "confirmed", "cell", "examples", "categories"}},
		Part{ProjectsMeant, "projects", []string{"name", "key", "last_at", "chunks"}},
		Part{CellsLately, "drift", []string{"scope", "category", "today", "cells"}})
	// ContextPressing reads the urgent items of a project and the lessons of its reviews.
	ContextPressing = join("decisions/briefing/pressing",
		Part{Overdue, "overdue", []string{"found", "now"}},
		Part{Stale, "stale", []string{"found", "now"}},
		Part{Wisdom, "wisdom", []string{"category", "pattern", "reviewed", "outcomes", "failed", "ids", "lessons", "confident", "confidences", "errors"}})
	// ContextAround reads the neighborhood of a context's decisions and contradictions among them.
	ContextAround = join("decisions/briefing/around",
		Part{DecisionsAround, "around", []string{"position", "decision", "reasons", "actual_result", "lessons", "superseded_by", "links"}},
		Part{Contradicted, "contradicted", []string{"links", "found"}},
		Part{Alike, "alike", []string{"looked", "without", "found"}})
)
