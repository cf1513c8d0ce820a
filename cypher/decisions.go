package cypher

// Statements of the decisions room: recording and reading.
var (
	DecisionRecord    = writes("decisions/decision_record")
	DecisionResolve   = reads("decisions/decision_resolve")
	DecisionIDsNear   = reads("decisions/decision_ids_near")
	NamesFirst        = reads("decisions/names_first")
	DecisionsComplete = reads("decisions/decisions_complete")
	DecisionsAround   = reads("decisions/decisions_around")
	DecisionOfRequest = reads("decisions/decision_of_request")
	DecisionWhole     = reads("decisions/decision_whole")
	DecisionLock      = writes("decisions/decision_lock")
	DecisionUpdate    = writes("decisions/decision_update")
	DecisionReview    = writes("decisions/decision_review")
	DecisionsFalling  = reads("decisions/decisions_falling")
	DecisionsRising   = reads("decisions/decisions_rising")
	DecisionsChosen   = reads("decisions/decisions_chosen")
	DecisionsByUID    = reads("decisions/decisions_by_uid")
	RetractedMark     = writes("decisions/retracted_mark")
	DecisionsCount    = reads("decisions/decisions_count")
)
