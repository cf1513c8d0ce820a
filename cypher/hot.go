package cypher

// Hot are the statements of a first check and of a first context, the check's in front. Planning them is most of what these
// take on an engine that has just started, so its supervisor has them planned behind the start.
var Hot = []Statement{
	RulesInForce, VerdictsRecord, Probe, SessionsOpen, EventsCreate,
	DecisionsOfFacets, DecisionsByText, Overdue, Stale, Wisdom, Lessons, PatternsOfScopes, PatternsConfirmed, DecisionsCounted,
}
