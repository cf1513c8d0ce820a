package pages

// table has every page, in the order of the navigation.
var table = []Page{
	{Name: "home", Path: "/", Title: "Start", Show: showHome},
	{Name: "today", Path: "/today", Title: "Today", Nav: true, Use: "What is due, what drifts, what was denied, and pending approvals.", Needs: "get_today",
		Show: showToday, Acts: map[string]Act{"grant": grantApproval, "deny": denyApproval, "undo": undoApproval},
		More: map[string]func(*Visit) (Answer, error){"contradictions": todayContradictions}, Script: "later"},
	{Name: "graph", Path: "/graph", Title: "Graph", Nav: true, Use: "How decisions hang together: what stands on what, what objected, how it grew.", Needs: "get_graph", Show: showGraph,
		Script: "graph", Libraries: []string{"graphology", "Sigma"}, More: map[string]func(*Visit) (Answer, error){"export": graphExport, "panel": graphPanel}},
	{Name: "decisions", Path: "/decisions", Title: "Decisions", Nav: true, Use: "Search what was decided, and how it turned out.", Needs: "list_decisions", Show: showDecisions},
	{Name: "decision", Path: "/decisions/{id}", Title: "Decision", Show: showDecision, Acts: map[string]Act{"review": reviewDecision, "propose": proposeOutcome}},
	{Name: "verdicts", Path: "/verdicts", Title: "Verdicts", Nav: true, Use: "What was allowed and what was not, and why.", Needs: "list_verdicts", Show: showVerdicts},
	{Name: "verdict", Path: "/verdicts/{id}", Title: "Why", Show: showVerdict},
	{Name: "policies", Path: "/policies", Title: "Policies", Nav: true, Use: "What judges actions, and what it says.", Needs: "list_policies", Show: showPolicies},
	{Name: "policy", Path: "/policy", Title: "Policy", Show: showPolicy, Acts: map[string]Act{"mode": setPolicyMode, "disable": switchPolicy("disable_policy"),
		"enable": switchPolicy("enable_policy"), "revert": revert(policyKind)}},
	{Name: "thresholds", Path: "/thresholds", Title: "Thresholds", Nav: true, Use: "The values that policies and programs read, and how they came to be.", Needs: "list_thresholds", Show: showThresholds},
	{Name: "threshold", Path: "/threshold", Title: "Threshold", Show: showThreshold, Acts: map[string]Act{"set": setThreshold, "revert": revert(thresholdKind)},
		Script: "charts", Libraries: []string{"uPlot"}},
	{Name: "calibration", Path: "/calibration", Title: "Calibration", Nav: true, Use: "Was confidence earned? By agent, category and type of reason, and over time.", Needs: "get_stats",
		Show: showCalibration, Script: "charts", Libraries: []string{"uPlot"}},
	{Name: "sessions", Path: "/sessions", Title: "Sessions", Nav: true, Use: "What agents did, in order, with the proof that nothing of it was changed.", Needs: "list_sessions", Show: showSessions},
	{Name: "session", Path: "/session", Title: "Session", Show: showSession, Script: "session",
		More: map[string]func(*Visit) (Answer, error){"head": sessionHead}},
	{Name: "feedback", Path: "/feedback", Title: "Feedback", Nav: true, Use: "Which contexts help agents, which do not and why, and what they looked for in vain.", Needs: "get_context_feedback", Show: showFeedback},
	{Name: "query", Path: "/query", Title: "Query", Nav: true, Use: "Questions of your own, in Cypher that only reads.", Needs: "run_cypher_readonly", Show: showQuery,
		More: map[string]func(*Visit) (Answer, error){"words": queryWords, "file": queryFile}, Script: "query",
		Libraries: []string{"graphology", "Sigma"}},
}

// Table gives every page.
func Table() []Page { return table }
