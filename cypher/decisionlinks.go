package cypher

// Statements of the decisions room: links between decisions and walking along them.
var (
	LinkCreate          = writes("decisions/link_create")
	LinkRemove          = writes("decisions/link_remove")
	LinksWalk           = reads("decisions/links_walk")
	LinksNear           = reads("decisions/links_near")
	PathBetween         = reads("decisions/path_between")
	JudgedByPolicy      = reads("decisions/judged_by_policy")
	PoliciesOfThreshold = reads("decisions/policies_of_threshold")
	FailedStoodOn       = reads("decisions/failed_stood_on")
)
