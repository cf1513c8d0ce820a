package pages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/internal/statistics"
	"nomograph/memory/recall"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/policies/history"
	"nomograph/policies/lab"
	"nomograph/policies/live"
	"nomograph/policies/proposals"
	decisiontable "nomograph/policies/table"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/trace"
)

var decisionsList = &List{Operation: "list_decisions", Noun: "decision",
	Filters: "q outcome stakes project agent_id date_after | category tag status reason_type min_confidence max_confidence pattern date_before",
	Columns: "Decision,Outcome,Confidence,Stakes,Agent,Project,Date",
	Sorts:   "confidence=confidence stakes=stakes date=created_at", Counted: true,
	Empty: "No decisions yet. Agents record them with `log_decision`, people with `nomograph decision log`. To import files, run `nomograph import adr docs/decisions`.",
	Read: func(v *Visit, operation string, q arguments) (rows, error) {
		if words := strings.TrimSpace(v.Query("q")); words != "" && v.May("query_decisions") {
			return v.searchDecisions(words, q)
		}
		list, err := Call[precedents.List](v, operation, q)
		found := rowsOf(list.Decisions, list.NextCursor, decisionCells)
		found.Notes = list.Notes
		if list.Total != nil {
			found = found.total(*list.Total, "decision")
		} else if list.TotalAtLeast > 0 {
			found.Total = "at least " + render.Plural(list.TotalAtLeast, "decision")
		}
		return found, err
	}}

func decisionItem(d decisions.Summary) item { return to(plain(d.Title), "/decisions/"+d.ID) }

func decisionCells(d decisions.Summary) []any {
	outcome := badge(cmp.Or(d.Outcome, "pending"))
	if d.Retracted {
		outcome = badge("retracted")
	}
	return []any{decisionItem(d), outcome, d.Confidence, d.Stakes, agentItem(d.AgentID), projectItem(d.Project), d.Date}
}

// searchDecisions returns the decisions that match words and the filters of q, best first. The search has no filter for
// pattern and reason type, so these two filter its results afterwards.
func (v *Visit) searchDecisions(words string, q arguments) (rows, error) {
	const shown, maximum = 30, 50
	filters, limit := maps.Clone(q), shown
	for _, name := range []string{"cursor", "limit", "sort", "order", "pattern", "reason_type"} {
		delete(filters, name)
	}
	if outcome := filters["outcome"]; outcome != nil {
		filters["outcome"] = []any{outcome}
	}
	afterwards := q["pattern"] != nil || q["reason_type"] != nil
	if afterwards {
		limit = maximum
	}
	matches, err := Call[precedents.Matches](v, "query_decisions",
		arguments{"query": words, "limit": limit, "no_links": true, "filters": filters})
	var fitting []decisions.Summary
	for _, match := range matches.Decisions {
		if pattern, _ := q["pattern"].(string); pattern != "" && !strings.EqualFold(match.Pattern, pattern) ||
			q["reason_type"] != nil && !slices.ContainsFunc(match.Reasons,
				func(r decisions.Reason) bool { return r.Type == q["reason_type"] }) {
			continue
		}
		fitting = append(fitting, match.Summary)
	}
	found := rowsOf(fitting, "", decisionCells)
	found.Notes = matches.Notes
	if afterwards && len(matches.Decisions) == maximum {
		found.Notes = append(found.Notes,
			fmt.Sprintf("Pattern and reason type filter only the %d best matches", maximum))
	}
	return found, err
}

var verdictsList = &List{Operation: "list_verdicts", Noun: "verdict",
	Filters: "result rule agent_id project date_after date_before",
	Columns: "Action,Result,Violated rules*,Stakes,Agent,Date",
	Empty:   "No verdicts yet. Run `nomograph policy check`, or let an agent call `check_action`.",
	Sample:  500,
	Values: func(record any) map[string][]string {
		r, _ := record.(check.VerdictRow)
		result := map[bool]string{true: "allowed", false: "denied"}[r.Allowed]
		return map[string][]string{"rule": graph.Texts(r.Rules), "result": {result}}
	},
	Read: func(v *Visit, operation string, q arguments) (rows, error) {
		if result := v.Query("result"); result != "" {
			q["allowed"] = result == "allowed"
		}
		list, err := Call[check.VerdictList](v, operation, q)
		return rowsOf(list.Verdicts, list.NextCursor, verdictCells), err
	}}

func verdictCells(r check.VerdictRow) []any {
	rules := linked(graph.Texts(r.Rules), policyPath)
	if r.Allowed && len(rules) > 0 {
		rules[len(rules)-1].Note = "(did not block)"
	}
	return []any{to(cmp.Or(r.Description, "(no description)"), "/verdicts/"+r.VerdictID), badge(r.Answer()), rules,
		r.Stakes,
		agentItem(r.AgentID), r.At}
}

var policiesList = &List{Operation: "list_policies", Noun: "policy",
	Filters: "text active decision_table", Columns: "Name,Effect,State,Thresholds*,Decision table,Facet",
	Empty: "No policies yet. Run `nomograph policy apply core` to add the rules of the core pack.",
	Read: answered(func(_ *Visit, list live.PolicyList) rows {
		return rowsOf(list.Policies, list.NextCursor, func(r live.PolicyRow) []any {
			name, effect, state := shownValue(r.Name), badge(r.Reading.Effect), item{}
			effect.Note = r.Reading.Problem
			if active := map[string]string{"true": "active", "false": "inactive"}[shownValue(r.Active)]; active != "" {
				state = badge(active)
			}
			return []any{to(name, policyPath(name)), effect, state,
				linked(r.Reading.Thresholds, func(name string) string { return link("/threshold", "name", name) }),
				to(shownValue(r.DecisionTable), link("/policies", "decision_table", shownValue(r.DecisionTable))),
				r.FacetKey}
		}).total(list.Total, "policy")
	})}

var thresholdsList = &List{Operation: "list_thresholds", Noun: "threshold",
	Filters: "text decision_table", Columns: "Name,Value,Unit,Decision table,Scope",
	Empty: "No thresholds yet. Run `nomograph policy apply core` to add the thresholds of the core pack.",
	Read: answered(func(v *Visit, list live.ThresholdList) rows {
		return rowsOf(list.Thresholds, list.NextCursor, func(r live.ThresholdRow) []any {
			name, table := shownValue(r.Name), shownValue(r.DecisionTable)
			return []any{to(name, link("/threshold", "name", name, "scope", shownValue(r.Scope))), r.Value, r.Unit,
				to(table, link(v.page.Path, "decision_table", table)), r.Scope}
		}).total(list.Total, "threshold")
	})}

var sessionsList = &List{Operation: "list_sessions", Noun: "session", Filters: "agent_id",
	Columns: "Session*,Agent,State,Workspace,Events,Denied,Started,Last event",
	Empty:   "No sessions yet. A session starts when an agent calls Nomograph. To connect one, run `nomograph install cursor`.",
	Read: answered(func(_ *Visit, list trace.SessionList) rows {
		return rowsOf(list.Sessions, list.NextCursor, func(r trace.SessionRow) []any {
			opened := "Opened automatically"
			if !r.Ambient {
				opened = r.SessionID
			}
			state := item{}
			switch {
			case r.Live():
				state = badge("active")
			case !r.EndedAt.IsZero():
				state = badge("ended")
			}
			return []any{to(cmp.Or(r.Goal, opened), link("/session", "id", r.UID)), cmp.Or(r.AgentID, "unknown agent"),
				state, r.Workspace, r.Events, counted(int(r.Denied)), r.StartedAt, r.LastAt}
		})
	})}

var proposalsList = &List{Operation: "list_proposals", Noun: "proposal", Filters: "state", Limit: 200,
	Columns: "Change,State,Reason*,Proposed by,Newly denied,Newly allowed,Proposed",
	Empty:   "No proposals yet. Propose a threshold's value or a rule's mode here, or run `nomograph policy propose`.",
	Read: answered(func(_ *Visit, list proposals.List) rows {
		return rowsOf(list.Proposals, list.NextCursor, func(p proposals.Proposal) []any {
			cells := []any{to(cmp.Or(strings.Join(p.Change, "; "), "change without a description"),
				"/proposals/"+p.ProposalID), badge(p.State), plain(render.Title(p.Reason)), p.ProposedBy, nil, nil,
				p.CreatedAt}
			if p.Replay != nil {
				cells[4], cells[5] = p.Replay.Blocked, p.Replay.Unblocked
			}
			return cells
		})
	})}

var exceptionsList = &List{Operation: "list_exceptions", Noun: "exception", Filters: "state rule agent_id", Limit: 200,
	Columns: "Action,State,Agent,Rules*,Ends,Renewals,Uses,Outcomes",
	Empty:   "No exceptions are in effect. Approvals with a duration appear here.",
	Read: answered(func(_ *Visit, list sessions.ExceptionList) rows {
		found := rowsOf(list.Exceptions, "", func(e sessions.Exception) []any {
			action := to(e.Action, "/exceptions/"+e.ExceptionID)
			action.Note = strings.TrimSpace(render.Shorten(parametersText(e.Params), 100) + " " + e.Project)
			var rules, outcomes []item
			for _, r := range e.Rules {
				rule := to(r.Rule, policyPath(r.Rule))
				if rule.Note = render.Cut(r.Version, shortID); r.Current != "" {
					rule.Note += " (now " + render.Cut(r.Current, shortID) + ")"
				}
				if r.Rule == unknownAction {
					rule = item{Text: "no rule covers this action"}
				}
				rules = append(rules, rule)
			}
			for _, o := range outcomesOf(e.Outcomes) {
				outcome := badge(o.Outcome)
				outcome.Text = fmt.Sprint(o.Count, " ", o.Outcome)
				outcomes = append(outcomes, outcome)
			}
			return []any{action, badge(e.State), agentItem(e.AgentID), rules, e.ValidUntil, len(e.Renewals), e.Used,
				outcomes}
		})
		if len(list.Exceptions) >= 200 {
			found.Notes = []string{"Only the first 200 are listed. Filter by rule or agent to see others."}
		}
		return found
	})}

// unknownAction stands for a rule in approvals of actions that no rule covers.
const unknownAction = "sessions.unknown_action"

var auditList = &List{Operation: "list_changes", Noun: "change", Filters: "kind by date_after date_before",
	Columns: "Name,Kind,Action,By,Reason*,Time",
	Empty:   "No changes yet. Run `nomograph policy apply core` to add the rules of the core pack.",
	Read: answered(func(_ *Visit, list history.AuditList) rows {
		return rowsOf(list.Entries, list.NextCursor, func(e history.AuditEntry) []any {
			name := to(cmp.Or(e.Name, map[string]string{"proposal": "rules"}[e.Kind], "(no description)"), "")
			switch e.Kind {
			case policyKind, thresholdKind:
				name.Link = link("/"+e.Kind, "name", e.Name)
			case "table", "pack":
				name.Link = objectPath("/"+e.Kind+"s", e.Name)
			case "atlas":
				name.Link = objectPath("/atlases", e.Name)
			case "token":
				name.Link = link("/tokens", "all", "yes", "name", e.Name)
			case "proposal":
				name.Link = "/proposals/" + e.Object
			case "appeal":
				name.Link = "/verdicts/" + e.Object + "#appeal"
			}
			action := e.Action
			if action == "observed" {
				action = "edited manually"
			}
			return []any{name, e.Kind, action, e.By, plain(e.Why), e.At}
		})
	})}

var packsList = &List{Operation: "list_packs", Noun: "pack", Columns: "Pack,Version,Rules*,Nodes,Drift,Applied,By",
	Empty: "No packs yet. Run `nomograph policy apply core` to apply the core pack.",
	Read: answered(func(_ *Visit, list change.PackList) rows {
		found := rowsOf(list.Packs, "", func(p change.AppliedPack) []any {
			name, drift := to(p.Name, objectPath("/packs", p.Name)), item{Text: "none"}
			name.Note = plain(p.Description)
			if len(p.Drift) > 0 {
				drift = item{Text: render.Plural(len(p.Drift), "node"), Look: "warn"}
			}
			var modes []item
			for _, mode := range slices.Sorted(maps.Keys(p.Modes)) {
				modes = append(modes, item{Text: fmt.Sprint(p.Modes[mode], " ", mode), Look: look(mode)})
			}
			return []any{name, p.Version, modes, p.Nodes, drift, p.AppliedAt, p.AppliedBy}
		})
		if len(list.Packs) > 0 {
			found.Notes = []string{"Drift counts nodes that were edited or deleted in the graph after the pack was applied. Applying the same version again keeps these edits; a newer version may replace them."}
		}
		return found
	})}

var tablesList = &List{Operation: "list_tables", Noun: "table", Columns: "Table,Hit policy,Rows,Thresholds",
	Empty: "No decision tables yet. Run `nomograph policy apply releases` to add the one of the releases pack.",
	Read: answered(func(_ *Visit, list decisiontable.List) rows {
		return rowsOf(list.Tables, list.NextCursor, func(t decisiontable.Listing) []any {
			id := shownValue(t.TableID)
			name := to(cmp.Or(shownValue(t.Label), id), objectPath("/tables", id))
			if name.Text != id {
				name.Note = id
			}
			return []any{name, cmp.Or(shownValue(t.HitPolicy), "FIRST"), t.Rows, t.Thresholds}
		}).total(list.Total, "table")
	})}

var importsList = &List{Operation: "list_decisions", Noun: "unreviewed import", Limit: importPage,
	Pick:    "decision",
	Filters: "project category tag date_after date_before", Columns: "Decision,Category,Confidence,Project,Date",
	Empty: "No unreviewed imported decisions. To import files, run `nomograph import adr docs/decisions`.",
	Read: func(v *Visit, operation string, q arguments) (rows, error) {
		q["imported"], q["has_outcome"], q["status"] = true, false, []string{"pending"}
		list, err := Call[precedents.List](v, operation, q)
		found := rowsOf(list.Decisions, list.NextCursor, func(d decisions.Summary) []any {
			return []any{decisionItem(d), d.Category, d.Confidence, projectItem(d.Project), d.Date}
		})
		for _, d := range list.Decisions {
			found.Keys = append(found.Keys, d.ID)
		}
		found.Total = render.Plural(len(list.Decisions), "imported decision") + " without a review on this page"
		if list.Total != nil {
			found.Total = render.Plural(*list.Total, "imported decision") + " without a review"
		}
		return found, err
	}}

var memoryList = &List{Operation: "list-projects", Noun: "project", Columns: "Project,Chunks,Tokens,First,Last",
	Empty: "No conversations in memory. To import them, run `nomograph import sessions`.",
	Read: answered(func(_ *Visit, list recall.ProjectList) rows {
		found := rowsOf(list.Projects, "", func(p recall.ProjectRow) []any {
			name := to(cmp.Or(p.Name, "without a name"), "")
			if p.Name != "" {
				name.Link = link(conversationsPath, "project", p.Name)
			}
			return []any{name, p.Chunks, p.Tokens, p.FirstAt, p.LastAt}
		})
		if list.LeftOut > 0 {
			found.Notes = []string{"And " + render.Plural(list.LeftOut, "project") + " more."}
		}
		return found
	})}

var conversationsList = &List{Operation: "list-sessions", Noun: "conversation", Filters: "from to",
	Columns: "Conversation,Started,Last text,Chunks,Tokens",
	Empty:   "No conversations in this project.",
	Read: func(v *Visit, operation string, q arguments) (rows, error) {
		project := strings.TrimSpace(v.Query("project"))
		q["project"] = project
		list, err := Call[recall.SessionList](v, operation, q)
		found := rowsOf(list.Sessions, "", func(s recall.SessionRow) []any {
			return []any{to(cmp.Or(plain(s.Title), s.SessionID, "without a title"),
				link(conversationsPath, "project", project, "session", s.SessionID)), s.From, s.To, s.Chunks, s.Tokens}
		})
		if list.Total > len(list.Sessions) {
			found.Notes = []string{fmt.Sprintf("The newest %d of %d. Set Since and Until for older ones.",
				len(list.Sessions),
				list.Total)}
		}
		return found, err
	}}

var atlasesList = &List{Operation: "cra_list_atlases", Noun: "atlas",
	Columns: "Atlas,Version,Project,Domains*,Contexts,Rules,Loaded",
	Empty:   "No atlases yet. Run `nomograph atlas load nomograph` to load the one that comes with Nomograph.",
	Read: answered(func(_ *Visit, list sessions.AtlasList) rows {
		return rowsOf(list.Atlases, "", func(a sessions.AtlasRow) []any {
			name := to(cmp.Or(a.Name, a.AtlasID), objectPath("/atlases", a.AtlasID))
			name.Note = a.AtlasID
			return []any{name, a.Version, cmp.Or(a.Project, "all"), a.Domains, a.Contexts, a.Policies, a.LoadedAt}
		})
	})}

// receivers lists the agents that received contexts.
var receivers = &List{Operation: "get_context_usage", Noun: "agent",
	Columns: "Agent,Sessions,Requests,Contexts given,Helpful,Not helpful,Last",
	Read: func(v *Visit, operation string, _ arguments) (rows, error) {
		usage, err := callIfMay[sessions.Usage](v, operation, sessions.UsageQuery{By: "agent", Limit: 20})
		return rowsOf(usage.Rows, "", func(r sessions.UsageRow) []any {
			return []any{to(r.Name, link("/sessions", "agent_id", r.Name)), r.Sessions, r.Requests, r.Given, r.Helpful,
				r.NotHelpful, r.LastAt}
		}), err
	}}

var breakersList = &List{Operation: "list_breakers", Noun: "circuit breaker",
	Columns: "Scope,State,Failures,Window,Last reset,Reset by,Reason*",
	Empty:   "No circuit breakers. Run `nomograph policy apply core` to add those of the core pack.",
	Read: answered(func(_ *Visit, list circuit.BreakerList) rows {
		return rowsOf(list.Breakers, "", func(s circuit.State) []any {
			scope, state := to(s.Scope, policyPath(s.Policy)),
				item{Text: strings.ReplaceAll(s.State, "_", " "), Look: breakerLook(s.State)}
			if s.Mode != "enforce" {
				scope.Note = s.Mode
			}
			if left := time.Duration(s.CooldownRemainingMS) * time.Millisecond; left > 0 {
				state.Note = left.Round(time.Minute).String() + " left"
			}
			state.Note = strings.TrimSpace(state.Note + " " + s.Error)
			if s.ProbeID != "" {
				state.Rest = []item{to("probe", "/decisions/"+s.ProbeID)}
			}
			cells := []any{scope, state, fmt.Sprintf("%d of %d", s.FailureCount, s.FailureThreshold),
				fmt.Sprintf("%v hours", (time.Duration(s.WindowMS) * time.Millisecond).Hours()), nil, nil, nil}
			if r := s.LastReset; r != nil {
				cells[4], cells[5], cells[6] = r.At, r.By, r.Reason
			}
			return cells
		})
	})}

var tokensList = &List{Operation: "list_tokens", Noun: "token",
	Columns: "Name,State,Permissions*,Projects,Limits,Expires,Last use,Created",
	Empty:   "No tokens yet.",
	Read: func(v *Visit, operation string, _ arguments) (rows, error) {
		list, err := Call[tokens.List](v, operation, tokens.Query{All: v.Query("all") != ""})
		return rowsOf(list.Tokens, "", func(t tokens.Token) []any {
			name, state := to(t.Name, link("/tokens", "name", t.Name)+"#usage"), badge("active")
			name.Note = t.Hint
			var limits []string
			if t.Rate > 0 {
				limits = append(limits, number(t.Rate)+" calls per second")
			}
			if t.Budget > 0 {
				limits = append(limits, fmt.Sprint(t.Budget, " calls per day"))
			}
			var expires any = "never"
			if !t.ExpiresAt.IsZero() {
				expires = t.ExpiresAt
			}
			switch {
			case !t.RevokedAt.IsZero():
				state = badge("revoked")
				state.Note = "by " + t.RevokedBy + ": " + t.RevokedBecause
			case !t.InForce:
				state = badge("expired")
			case v.May("rotate_token"):
				state = to("Rotate", link("/tokens", "rotate", t.Name))
				state.Rest = []item{to("Revoke", link("/tokens", "revoke", t.Name))}
			}
			return []any{name, state, t.Permissions, cmp.Or(strings.Join(t.Projects, ", "), "all"), limits, expires,
				cmp.Or(t.LastUsed, "never"), t.CreatedAt}
		}).total(list.Total, "token"), err
	}}

var reportList = &List{Operation: "report_policies", Noun: "rule", Filters: "rule date_after agent_id project category",
	Since: defaultWindow, Columns: "Rule,Mode,Acts,Applied,Violated,Denied by any rule,Overridden,Retried,Appealed," +
		"Went ahead,Failures,Other failures,Findings",
	Empty: "No rules. Run `nomograph policy apply core` to add the rules of the core pack.",
	Read: answered(func(_ *Visit, report lab.Report) rows {
		found := rowsOf(report.Rules, "", reportCells)
		found.Total = render.Plural(report.Acts, "act") + " with " + render.Plural(report.Verdicts, "verdict")
		found.Notes = report.Notes
		if report.Unknown > 0 {
			found.Notes = append(found.Notes, render.Plural(report.Unknown, "act")+
				" with an older verdict, which does not say which rules applied")
		}
		return found
	})}

func reportCells(r lab.RuleReport) []any {
	failures, appealed := shareItem(r.Precision), counted(r.Appealed)
	if r.Precision == nil && outcomesText(r.InSpite) != "" {
		failures.Text = "fewer than 10 reviews"
	}
	if r.Overturned > 0 {
		appealed.Note = fmt.Sprintf("(%d overturned)", r.Overturned)
	}
	findings := strings.ReplaceAll(strings.Join(r.Findings, "; "), "_", " ")
	if r.Trial != nil {
		findings = strings.TrimPrefix(findings+"; shadow trial: "+strings.ReplaceAll(r.Trial.Answer, "_", " "), "; ")
	}
	violated := itemOf(r.Violated)
	violated.Link = link("/verdicts", "rule", r.Rule)
	return []any{to(r.Rule, policyPath(r.Rule)), r.Mode, r.Evaluated, r.Applied, violated, r.Denied,
		counted(r.Overridden.Force + r.Overridden.Approval + r.Overridden.Unknown), counted(r.Retried), appealed,
		outcomesText(r.InSpite), failures, shareItem(r.FailuresOtherwise), findings}
}

// counted is a number that is usually zero, so that its column is left out if all are.
func counted(n int) item {
	if n == 0 {
		return item{}
	}
	return itemOf(n)
}

// shareItem is a share with its interval.
func shareItem(s *statistics.Share) item {
	if s == nil {
		return item{}
	}
	return item{Text: fmt.Sprintf("%.0f\u00a0%%", 100*s.Share), Number: &s.Share,
		Note: fmt.Sprintf("(%.0f to %.0f\u00a0%%)", 100*s.Low, 100*s.High)}
}

var gapsList = &List{Operation: "get_coverage", Noun: "gap", Filters: "client project since",
	Columns: "Client,Event or tool*,Kind,Source,Reason,Calls,Last", Empty: "Every executed call has a verdict.",
	Read: answered(func(v *Visit, list check.Coverage) rows {
		return rowsOf(list.GapList, "", func(g check.CoverageGap) []any {
			client := to(g.Client, link(v.page.Path, "client", g.Client))
			client.Note = g.Version
			return []any{client, g.Event, g.Kind, strings.ReplaceAll(g.Source, "_", " "),
				item{Text: strings.ReplaceAll(g.Reason, "_", " "), Look: "warn"}, g.Calls, g.LastAt}
		})
	})}

var feedbackList = &List{Operation: "get_context_feedback", Noun: "context",
	Columns: "Context,Times given,Helpful,Not helpful,Helpful for*,Not helpful because*",
	Empty:   "No feedback yet. Load contexts with `nomograph atlas load`. Agents in governed sessions receive and rate them.",
	Read: answered(func(_ *Visit, list sessions.FeedbackList) rows {
		return rowsOf(list.Contexts, "", func(c sessions.ContextFeedback) []any {
			s := c.Summary
			return []any{c.ContextID, s.TotalRequests, s.HelpfulCount, s.NotHelpfulCount,
				strings.Join(s.CommonNeedsWhenHelpful, "; "), strings.Join(s.CommonReasonsNotHelpful, "; ")}
		})
	})}
