package pages

// table lists the pages in the order of the navigation.
var table = []Page{
	{Name: "home", Path: "/", Title: "Today", Template: "today", Under: "today", Show: showToday, Acts: approvalActs, Script: "today"},
	{Name: "search", Path: "/search", Title: "Search", Use: "Decisions, policies, thresholds, verdicts, agents, projects, conversations and atlases.", Needs: "query_decisions", Show: showSearch,
		More: map[string]func(*Visit) (Answer, error){"export": searchExport}, Script: "search"},
	{Name: "today", Path: "/today", Title: "Today", Nav: true, Use: "Pending approvals, action items, drift and denied actions.", Needs: "get_today",
		Show: showToday, Acts: approvalActs, More: map[string]func(*Visit) (Answer, error){"contradictions": todayContradictions}, Script: "today"},
	{Name: "graph", Path: "/graph", Title: "Graph", Nav: true, Use: "Decisions, policies and thresholds, and the links between them.", Needs: "get_graph", Show: showGraph,
		Script: "graph", Libraries: []string{"graphology", "Sigma"}, More: map[string]func(*Visit) (Answer, error){"export": graphExport, "panel": graphPanel}},
	{Name: "decisions", Path: "/decisions", Title: "Decisions", Nav: true, Use: "Search decisions and their outcomes.", Needs: "list_decisions", Show: showDecisions},
	{Name: "decision", Path: "/decisions/{id}", Title: "Decision", Under: "decisions", Show: showDecision, Acts: map[string]Act{"review": reviewDecision, "propose": proposeOutcome}},
	{Name: "verdicts", Path: "/verdicts", Title: "Verdicts", Nav: true, Use: "Allowed and denied actions, with the violated rules.", Needs: "list_verdicts", Show: showVerdicts},
	{Name: "verdict", Path: "/verdicts/{id}", Title: "Verdict", Under: "verdicts", Show: showVerdict},
	{Name: "policies", Path: "/policies", Title: "Policies", Nav: true, Use: "Rules that evaluate actions, and other policies.", Needs: "list_policies", Show: showPolicies},
	{Name: "policy", Path: "/policy", Title: "Policy", Under: "policies", Show: showPolicy, Acts: map[string]Act{"mode": setPolicyMode, "disable": switchPolicy("disable_policy"),
		"enable": switchPolicy("enable_policy"), "revert": revert(policyKind)}},
	{Name: "thresholds", Path: "/thresholds", Title: "Thresholds", Nav: true, Use: "Values that policies and programs read, with their history.", Needs: "list_thresholds", Show: showThresholds},
	{Name: "threshold", Path: "/threshold", Title: "Threshold", Under: "thresholds", Show: showThreshold, Acts: map[string]Act{"set": setThreshold, "revert": revert(thresholdKind)},
		Script: "charts", Libraries: []string{"uPlot"}},
	{Name: "report", Path: "/report", Title: "Rule report", Show: showReport},
	{Name: "tuning", Path: "/tuning", Title: "Other values", Show: showTuning},
	{Name: "replay", Path: "/replay", Title: "Replay", Show: showReplay},
	{Name: "calibration", Path: "/calibration", Title: "Calibration", Nav: true, Use: "Stated confidence compared with outcomes, by agent, category, reason type and week.", Needs: "get_stats",
		Show: showCalibration, Script: "charts", Libraries: []string{"uPlot"}},
	{Name: "agent", Path: "/agent", Title: "Agent", Under: "calibration", Show: showAgent},
	{Name: "project", Path: "/project", Title: "Project", Under: "calibration", Show: showProject},
	{Name: "sessions", Path: "/sessions", Title: "Sessions", Nav: true, Use: "Events of each agent in order, with a verified hash chain.", Needs: "list_sessions", Show: showSessions},
	{Name: "session", Path: "/session", Title: "Session", Under: "sessions", Show: showSession, Script: "session",
		More: map[string]func(*Visit) (Answer, error){"head": sessionHead}},
	{Name: "feedback", Path: "/feedback", Title: "Feedback", Nav: true, Use: "Votes of agents on contexts, and needs that no context meets.", Needs: "get_context_feedback", Show: showFeedback},
	{Name: "query", Path: "/query", Title: "Query", Nav: true, Use: "Read-only Cypher queries.", Needs: "run_cypher_readonly", Show: showQuery,
		More: map[string]func(*Visit) (Answer, error){"words": queryWords, "file": queryFile}, Script: "query",
		Libraries: []string{"graphology", "Sigma"}},
	{Name: "breakers", Path: "/breakers", Title: "Circuit breakers", Under: "today", Show: showBreakers, Acts: map[string]Act{"reset": resetBreaker}},
	{Name: "styleguide", Path: "/styleguide", Title: "Style guide", Show: showStyleguide},
}

// Table returns all pages.
func Table() []Page { return table }
