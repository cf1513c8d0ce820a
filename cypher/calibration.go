package cypher

// Statements of the decisions room: counting how decisions turn out.
var (
	CountBegin         = writes("calibration/count_begin")
	CountEnd           = writes("calibration/count_end")
	CellsOfKeys        = reads("calibration/cells_of_keys")
	CellsBetween       = reads("calibration/cells_between")
	CellsOfKind        = reads("calibration/cells_of_kind")
	CellsOfScopes      = reads("calibration/cells_of_scopes")
	CellsAll           = reads("calibration/cells_all")
	CellsMend          = writes("calibration/cells_mend")
	CountersLock       = writes("calibration/counters_lock")
	DecisionsCounted   = reads("calibration/decisions_counted")
	DecisionsCountedAs = reads("calibration/decisions_counted_as")
	CountedAgain       = writes("calibration/decisions_counted_again")
	DecisionsUncount   = writes("calibration/decisions_uncount")
	PatternsConfirmed  = reads("calibration/patterns_confirmed")
	PatternsOfScopes   = reads("calibration/patterns_of_scopes")
	Uncounted          = reads("calibration/uncounted")
)
