package cypher

// Statements of tools: completion of names, and the state on which tools/list depends.
var (
	AtlasesComplete    = reads("tools/atlases_complete")
	CircuitsComplete   = reads("tools/circuits_complete")
	DecisionsComplete  = reads("tools/decisions_complete")
	ListingsRead       = reads("tools/listings_read")
	PacksComplete      = reads("tools/packs_complete")
	PoliciesComplete   = reads("tools/policies_complete")
	SessionsComplete   = reads("tools/sessions_complete")
	TablesComplete     = reads("tools/tables_complete")
	ThresholdsComplete = reads("tools/thresholds_complete")
	VerdictsComplete   = reads("tools/verdicts_complete")
)
