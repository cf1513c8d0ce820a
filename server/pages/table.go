package pages

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// files are additional routes of a page.
type files = map[string]func(*Visit) (Answer, error)

const conversationsPath = "/sessions?view=conversations"

// table lists the pages in the order of the navigation.
var table = complete([]Page{
	{Name: "today", Path: "/", Nav: true, Use: "Pending approvals, action items and denied actions.",
		Needs: "get_today", Show: showToday, Acts: approvalActs,
		More: files{"contradictions": todayContradictions, "reviews": todayReviews}, Script: "today",
		Filters: &List{Operation: "get_today", Filters: "project agent_id", Closed: true}},
	{Name: "search", Path: "/search",
		Use:   "Decisions, policies, thresholds, verdicts, agents, projects, conversations and atlases.",
		Needs: "query_decisions", Show: showSearch, More: files{"export": searchExport, "suggest": suggest},
		Script: "search",
		Filters: &List{Operation: "list_decisions", Closed: true,
			Filters: "outcome category stakes project agent_id date_after date_before"}},
	{Name: "graph", Path: "/graph", Nav: true,
		Use: "Decisions, policies and thresholds, and the links between them.", Needs: "get_graph", Show: showGraph,
		Script: "graph", Libraries: []string{"graphology", "Sigma"},
		More: files{"export": graphExport, "panel": graphPanel}},
	{Name: "decisions", Path: "/decisions", Tab: "Decisions", Nav: true,
		Use: "Search decisions and their outcomes.", List: decisionsList},
	{Name: "imports", Path: "/decisions?view=imports", Title: "Review imports", Tab: "Review imports",
		Group: groupAgents, Use: "Unreviewed imported decisions, reviewed in bulk.",
		List: importsList, Show: showImports,
		Acts: map[string]Act{"preview": previewImports, "apply": applyImports}},
	{Name: "decision", Path: "/decisions/{id}", Show: showDecision,
		Acts: map[string]Act{"review": reviewDecision, "propose": proposeOutcome}},
	{Name: "impact", Path: "/decisions/{id}?view=impact", Show: showImpact},
	{Name: "verdicts", Path: "/verdicts", Nav: true,
		Use: "Allowed and denied actions, with the violated rules.", List: verdictsList},
	{Name: "verdict", Path: "/verdicts/{id}", Show: showVerdict,
		Acts: verdictActs},
	{Name: "policies", Path: "/policies", Tab: "Policies", Nav: true,
		Use: "Rules that evaluate actions, and other policies.", List: policiesList},
	{Name: "thresholds", Path: "/policies?view=thresholds", Tab: "Thresholds",
		Group: groupRules, Use: "Values that policies and programs read, with their history.", List: thresholdsList},
	{Name: "tables", Path: "/policies?view=tables", Title: "Decision tables", Tab: "Tables",
		Group: groupRules, Use: "Tables that turn inputs into outputs with live thresholds.", List: tablesList},
	{Name: "packs", Path: "/policies?view=packs", Tab: "Packs", Group: groupRules,
		Use: "Installed packs with version, modes and drift.", List: packsList},
	{Name: "report", Path: "/policies?view=report", Title: "Rule report", Tab: "Report",
		Group: groupRules, Use: "Applications, violations and outcomes of each rule.", List: reportList,
		Template: "report",
		Show:     showList},
	{Name: "replay", Path: "/policies?view=replay", Tab: "Replay",
		Group: groupRules,
		Use:   "Recorded actions whose answer a change would flip.", Needs: "replay_policies", Show: showReplay},
	{Name: "policy", Path: "/policy", Under: "policies", Show: showPolicy,
		Acts: map[string]Act{"mode": setPolicyMode, "disable": switchPolicy("disable_policy"),
			"enable": switchPolicy("enable_policy"), "revert": revert(policyKind)}},
	{Name: "policy-impact", Path: "/policy?view=impact", Title: "Impact", Template: "impact", Under: "policies",
		Show: showImpact},
	{Name: "threshold", Path: "/threshold", Under: "thresholds", Show: showThreshold,
		Acts: map[string]Act{"set": setThreshold, "revert": revert(thresholdKind)}},
	{Name: "tuning", Path: "/threshold?view=tuning", Title: "Other values", Under: "thresholds", Show: showTuning,
		Filters: tuningFilters},
	{Name: "threshold-impact", Path: "/threshold?view=impact", Title: "Impact", Template: "impact", Under: "thresholds",
		Show: showImpact},
	{Name: "table", Path: "/tables/{id}", Title: "Decision table", Under: "tables", Show: showTable,
		Acts: map[string]Act{"revert": revertTable}},
	{Name: "pack", Path: "/packs/{id}", Under: "packs", Show: showPack,
		Acts: map[string]Act{"preview": previewPack}, More: files{"file": packFile}},
	{Name: "proposals", Path: "/proposals", Tab: "Proposals", Group: groupRules,
		Use: "Changes of rules that another person approves.", List: proposalsList},
	{Name: "propose", Path: "/proposals?view=new", Title: "Propose a change", Tab: "Propose a change",
		Needs: "propose_change", Show: showPropose, Acts: map[string]Act{"propose": proposeChange}},
	{Name: "proposal", Path: "/proposals/{id}", Show: showProposal,
		Acts: proposalActs},
	{Name: "exceptions", Path: "/exceptions", Group: groupRules, Use: "Time-limited approvals.",
		List: exceptionsList},
	{Name: "exception", Path: "/exceptions/{id}", Show: showException,
		Acts: exceptionActs},
	{Name: "breakers", Path: "/breakers", Title: "Circuit breakers", Group: groupRules,
		Use: "Scopes with too many failures, and their reset.", List: breakersList, Show: showList,
		Acts: map[string]Act{"reset": resetBreaker}},
	{Name: "calibration", Path: "/calibration", Group: groupAgents,
		Use: "Stated confidence compared with outcomes, by agent, category, reason type and week.", Needs: "get_stats",
		Show: showCalibration, Filters: &List{Operation: "get_stats",
			Filters: "category agent_id project stakes window by"}},
	{Name: "agent", Path: "/agent", Title: "Agents", Group: groupAgents,
		Use: "Calibration, failures and violated rules of each agent.", Needs: "get_stats", Show: showRecord},
	{Name: "autonomy", Path: "/agent?view=autonomy", Group: groupAgents,
		Use: "The autonomy level that each agent has earned by reviews.", Needs: "get_autonomy", Show: showAutonomy},
	{Name: "project", Path: "/project", Title: "Projects", Group: groupAgents,
		Use: "Calibration, failures and violated rules of each project.", Needs: "get_stats", Show: showRecord},
	{Name: "sessions", Path: "/sessions", Tab: "Sessions", Nav: true,
		Use: "Events of each agent in order, with a verified hash chain.", List: sessionsList},
	{Name: "conversations", Path: conversationsPath, Tab: "Conversations",
		Group: groupAgents, Use: "Texts of conversations in memory, by project.",
		List: memoryList, Show: showConversations},
	{Name: "session", Path: "/session", Show: showSession, Script: "session",
		More: files{"head": sessionHead}},
	{Name: "atlases", Path: "/atlases", Tab: "Atlases", Group: groupAgents,
		Use: "Contexts that agents receive, and their rules.", List: atlasesList, Show: showAtlases},
	{Name: "feedback", Path: "/atlases?view=feedback", Title: "Context feedback", Tab: "Feedback",
		Use: "Votes of agents on contexts, and needs that no context meets.", List: feedbackList, Show: showFeedback},
	{Name: "atlas", Path: "/atlases/{id}", Show: showAtlas,
		More: files{"file": atlasFile}},
	{Name: "query", Path: "/query", Group: groupAccess, Use: "Read-only Cypher queries.",
		Needs: "run_cypher_readonly", Show: showQuery, More: files{"words": queryWords, "file": queryFile},
		Script: "query", Libraries: []string{"graphology", "Sigma"}},
	{Name: "tokens", Path: "/tokens", Group: groupAccess,
		Use: "API tokens with permissions, projects, expiry and use.", List: tokensList, Show: showTokens,
		Acts: map[string]Act{"create": createToken, "rotate": rotateToken, "revoke": revokeToken}},
	{Name: "audit", Path: "/audit", Tab: "Changes", Group: groupAccess,
		Use: "Changes of rules, packs, tokens, approvals, proposals and appeals, with their authors.", List: auditList},
	{Name: "coverage", Path: "/audit?view=coverage", Tab: "Coverage",
		Group: groupAccess, Use: "Executed tool calls of coding agents with and without a verdict.",
		List: gapsList, Show: showCoverage},
	{Name: "docs", Path: "/docs", Title: "Documentation", Group: groupHelp,
		Use: "Guides, reference and concepts of this version, with search.", Show: showDocs},
	{Name: "manual", Path: "/docs/{path...}", Title: "Documentation", Template: "docs", Show: showDocs},
	{Name: "more", Path: "/more", Nav: true, Use: "All other pages.", Show: showMore},
})

// movedFile has former addresses and those of their pages. Parameters are kept.
//
//go:embed moved.tsv
var movedFile string

// complete fills in what most pages have: the name as title, and what follows from the path and from the list.
func complete(pages []Page) []Page {
	for i := range pages {
		p := &pages[i]
		p.Title = cmp.Or(p.Title, capital(p.Name))
		path, _, _ := strings.Cut(p.Path, "?")
		path, _, _ = strings.Cut(path, "/{")
		first := slices.IndexFunc(pages, func(other Page) bool { return other.Path == path })
		if p.Under == "" && first >= 0 && first != i {
			p.Under = pages[first].Name
		}
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
