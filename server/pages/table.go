package pages

import (
	"cmp"
	"strings"
)

// files are additional routes of a page.
type files = map[string]func(*Visit) (Answer, error)

const conversationsPath = "/sessions?view=conversations"

// table lists the pages in the order of the navigation.
var table = complete([]Page{
	{Name: "today", Path: "/", Title: "Today", Nav: true, Use: "Pending approvals, action items and denied actions.",
		Needs: "get_today", Show: showToday, Acts: approvalActs,
		More: files{"contradictions": todayContradictions, "reviews": todayReviews}, Script: "today",
		Filters: &List{Operation: "get_today", Filters: "project agent_id", Closed: true}},
	{Name: "search", Path: "/search", Title: "Search",
		Use:   "Decisions, policies, thresholds, verdicts, agents, projects, conversations and atlases.",
		Needs: "query_decisions", Show: showSearch, More: files{"export": searchExport, "suggest": suggest}, Script: "search",
		Filters: &List{Operation: "list_decisions", Closed: true,
			Filters: "outcome category stakes project agent_id date_after date_before sort"}},
	{Name: "graph", Path: "/graph", Title: "Graph", Nav: true,
		Use: "Decisions, policies and thresholds, and the links between them.", Needs: "get_graph", Show: showGraph,
		Script: "graph", Libraries: []string{"graphology", "Sigma"},
		More: files{"export": graphExport, "panel": graphPanel}},
	{Name: "decisions", Path: "/decisions", Title: "Decisions", Tab: "Decisions", Nav: true,
		Use: "Search decisions and their outcomes.", List: decisionsList},
	{Name: "imports", Path: "/decisions?view=imports", Title: "Review imports", Tab: "Review imports",
		Under: "decisions", Group: groupAgents, Use: "Unreviewed imported decisions, reviewed in bulk.",
		Needs: "list_decisions", List: importsList, Show: showImports, Script: "list",
		Acts: map[string]Act{"preview": previewImports, "apply": applyImports}},
	{Name: "decision", Path: "/decisions/{id}", Title: "Decision", Under: "decisions", Show: showDecision,
		Acts: map[string]Act{"review": reviewDecision, "propose": proposeOutcome}},
	{Name: "impact", Path: "/decisions/{id}?view=impact", Title: "Impact", Under: "decisions", Show: showImpact},
	{Name: "verdicts", Path: "/verdicts", Title: "Verdicts", Nav: true,
		Use: "Allowed and denied actions, with the violated rules.", List: verdictsList},
	{Name: "verdict", Path: "/verdicts/{id}", Title: "Verdict", Under: "verdicts", Show: showVerdict,
		Acts: verdictActs},
	{Name: "policies", Path: "/policies", Title: "Policies", Tab: "Policies", Nav: true,
		Use: "Rules that evaluate actions, and other policies.", List: policiesList},
	{Name: "thresholds", Path: "/policies?view=thresholds", Title: "Thresholds", Tab: "Thresholds", Under: "policies",
		Group: groupRules, Use: "Values that policies and programs read, with their history.", List: thresholdsList},
	{Name: "tables", Path: "/policies?view=tables", Title: "Decision tables", Tab: "Tables", Under: "policies",
		Group: groupRules, Use: "Tables that turn inputs into outputs with live thresholds.", List: tablesList},
	{Name: "packs", Path: "/policies?view=packs", Title: "Packs", Tab: "Packs", Under: "policies", Group: groupRules,
		Use: "Installed packs with version, modes and drift.", List: packsList},
	{Name: "report", Path: "/policies?view=report", Title: "Rule report", Tab: "Report", Under: "policies",
		Group: groupRules, Use: "Applications, violations and outcomes of each rule.", List: reportList, Template: "report",
		Show: showList},
	{Name: "replay", Path: "/policies?view=replay", Title: "Replay", Tab: "Replay", Under: "policies",
		Group: groupRules,
		Use:   "Recorded actions whose answer a change would flip.", Needs: "replay_policies", Show: showReplay},
	{Name: "policy", Path: "/policy", Title: "Policy", Under: "policies", Show: showPolicy,
		Acts: map[string]Act{"mode": setPolicyMode, "disable": switchPolicy("disable_policy"),
			"enable": switchPolicy("enable_policy"), "revert": revert(policyKind)}},
	{Name: "policy-impact", Path: "/policy?view=impact", Title: "Impact", Template: "impact", Under: "policies",
		Show: showImpact},
	{Name: "threshold", Path: "/threshold", Title: "Threshold", Under: "thresholds", Show: showThreshold,
		Acts: map[string]Act{"set": setThreshold, "revert": revert(thresholdKind)}},
	{Name: "tuning", Path: "/threshold?view=tuning", Title: "Other values", Under: "thresholds", Show: showTuning,
		Filters: tuningFilters},
	{Name: "threshold-impact", Path: "/threshold?view=impact", Title: "Impact", Template: "impact", Under: "thresholds",
		Show: showImpact},
	{Name: "table", Path: "/tables/{id}", Title: "Decision table", Under: "tables", Show: showTable,
		Acts: map[string]Act{"revert": revertTable}},
	{Name: "pack", Path: "/packs/{id}", Title: "Pack", Under: "packs", Show: showPack,
		Acts: map[string]Act{"preview": previewPack}, More: files{"file": packFile}},
	{Name: "proposals", Path: "/proposals", Title: "Proposals", Tab: "Proposals", Group: groupRules,
		Use: "Changes of rules that another person approves.", List: proposalsList},
	{Name: "propose", Path: "/proposals?view=new", Title: "Propose a change", Tab: "Propose a change",
		Under: "proposals", Needs: "propose_change", Show: showPropose, Acts: map[string]Act{"propose": proposeChange}},
	{Name: "proposal", Path: "/proposals/{id}", Title: "Proposal", Under: "proposals", Show: showProposal,
		Acts: proposalActs},
	{Name: "exceptions", Path: "/exceptions", Title: "Exceptions", Group: groupRules, Use: "Time-limited approvals.",
		List: exceptionsList},
	{Name: "exception", Path: "/exceptions/{id}", Title: "Exception", Under: "exceptions", Show: showException,
		Acts: exceptionActs},
	{Name: "breakers", Path: "/breakers", Title: "Circuit breakers", Group: groupRules,
		Use: "Scopes with too many failures, and their reset.", List: breakersList, Show: showBreakers,
		Acts: map[string]Act{"reset": resetBreaker}},
	{Name: "calibration", Path: "/calibration", Title: "Calibration", Group: groupAgents,
		Use: "Stated confidence compared with outcomes, by agent, category, reason type and week.", Needs: "get_stats",
		Show: showCalibration, Filters: &List{Operation: "get_stats",
			Filters: "category agent_id project stakes window by"}},
	{Name: "agent", Path: "/agent", Title: "Agents", Group: groupAgents,
		Use: "Calibration, failures and violated rules of each agent.", Needs: "get_stats", Show: showAgent},
	{Name: "autonomy", Path: "/agent?view=autonomy", Title: "Autonomy", Group: groupAgents,
		Use: "The autonomy level that each agent has earned by reviews.", Needs: "get_autonomy", Show: showAutonomy},
	{Name: "project", Path: "/project", Title: "Projects", Group: groupAgents,
		Use: "Calibration, failures and violated rules of each project.", Needs: "get_stats", Show: showProject},
	{Name: "sessions", Path: "/sessions", Title: "Sessions", Tab: "Sessions", Nav: true,
		Use: "Events of each agent in order, with a verified hash chain.", List: sessionsList},
	{Name: "conversations", Path: conversationsPath, Title: "Conversations", Tab: "Conversations", Under: "sessions",
		Group: groupAgents, Use: "Texts of conversations in memory, by project.", Needs: "list-projects",
		List: memoryList, Show: showConversations},
	{Name: "session", Path: "/session", Title: "Session", Under: "sessions", Show: showSession, Script: "session",
		More: files{"head": sessionHead}},
	{Name: "atlases", Path: "/atlases", Title: "Atlases", Tab: "Atlases", Group: groupAgents,
		Use: "Contexts that agents receive, and their rules.", List: atlasesList, Show: showAtlases},
	{Name: "feedback", Path: "/atlases?view=feedback", Title: "Context feedback", Tab: "Feedback", Under: "atlases",
		Use: "Votes of agents on contexts, and needs that no context meets.", List: feedbackList, Show: showFeedback},
	{Name: "atlas", Path: "/atlases/{id}", Title: "Atlas", Under: "atlases", Show: showAtlas,
		More: files{"file": atlasFile}},
	{Name: "query", Path: "/query", Title: "Query", Group: groupAccess, Use: "Read-only Cypher queries.",
		Needs: "run_cypher_readonly", Show: showQuery, More: files{"words": queryWords, "file": queryFile},
		Script: "query", Libraries: []string{"graphology", "Sigma"}},
	{Name: "tokens", Path: "/tokens", Title: "Tokens", Group: groupAccess,
		Use: "API tokens with permissions, projects, expiry and use.", List: tokensList, Show: showTokens,
		Acts: map[string]Act{"create": createToken, "rotate": rotateToken, "revoke": revokeToken}},
	{Name: "audit", Path: "/audit", Title: "Audit", Tab: "Changes", Group: groupAccess,
		Use: "Changes of rules, packs, tokens, approvals, proposals and appeals, with their authors.", List: auditList},
	{Name: "coverage", Path: "/audit?view=coverage", Title: "Coverage", Tab: "Coverage", Under: "audit",
		Group: groupAccess, Use: "Executed tool calls of coding agents with and without a verdict.",
		List: gapsList, Show: showCoverage},
	{Name: "docs", Path: "/docs", Title: "Documentation", Group: groupHelp,
		Use: "Guides, reference and concepts of this version, with search.", Show: showDocs},
	{Name: "manual", Path: "/docs/{path...}", Title: "Documentation", Template: "docs", Under: "docs", Show: showDocs},
	{Name: "more", Path: "/more", Title: "More", Nav: true, Use: "All other pages.", Show: showMore},
})

// moved maps former addresses to pages. Their parameters are kept.
var moved = map[string]string{"/today": "/", "/imports": "/decisions?view=imports",
	"/thresholds": "/policies?view=thresholds", "/tables": "/policies?view=tables", "/packs": "/policies?view=packs",
	"/report": "/policies?view=report", "/replay": "/policies?view=replay", "/tuning": "/threshold?view=tuning",
	"/impact": "/decisions", "/propose": "/proposals?view=new", "/autonomy": "/agent?view=autonomy",
	"/conversations": conversationsPath, "/feedback": "/atlases?view=feedback", "/coverage": "/audit?view=coverage",
	"/today/contradictions": "/contradictions", "/today/reviews": "/reviews", "/audit/export": "/audit"}

// complete fills in what follows from the list of a page.
func complete(pages []Page) []Page {
	for i := range pages {
		p := &pages[i]
		if p.List == nil {
			continue
		}
		p.Filters = p.List
		if p.Needs, p.Script = cmp.Or(p.Needs, p.List.Operation), cmp.Or(p.Script, "list"); p.Show == nil {
			p.Show, p.Template = showList, "list"
		}
	}
	return pages
}

// at returns the path of the page, and which view of it this is.
func (p *Page) at() (path, view string) {
	path, view, _ = strings.Cut(p.Path, "?view=")
	return path, view
}

// Table returns all pages.
func Table() []Page { return table }
