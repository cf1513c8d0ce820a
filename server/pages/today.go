package pages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/trace"
)

// today is the data of the home page: groups of things to decide or to look at.
type today struct {
	insights.Today
	Approving   []pending // approved, but not yet in effect
	Groups      []inbox   // with rows, pending approvals first
	Nothing     []string  // titles of groups without rows
	EffectDelay int       // seconds until an approval takes effect
	Whole       string    // group that the address shows whole; "" for none
	Answers     []sessions.Approval
	Newest      []decisions.Summary
	// nil until loaded by a second request, because the search is slow
	Contradictions *insights.Contradictions
	// nil until loaded by a second request, because it reads the verdicts of 30 days
	ReviewNext *lab.ReviewNext
}

// inbox is a group of rows. The page shows the first ones, and leads to all.
type inbox struct {
	ID, Title, Count, All string
	Approvals             []pending
	Rows                  []inboxRow
}

// inboxRow is something to look at. Key is stable, so that a browser can hide it for a time.
type inboxRow struct {
	Key          string
	Title, State item
	Note         string
	Links        []item
	At           time.Time
}

// Several reports whether several requests can be rejected together.
func (g inbox) Several() bool { return len(g.Approvals) > 1 }

// inboxRead is the number of rows of a group that the page has for those that are hidden for a time.
const inboxRead = 15

// group makes a group of rows; more is true if there are more than n.
func group(id, title, all string, n int, more bool, rows []inboxRow) inbox {
	g := inbox{ID: id, Title: title, All: all, Rows: rows[:min(len(rows), inboxRead)]}
	if n > 0 {
		g.Count = fmt.Sprint(n)
	}
	if more {
		g.Count += "+"
	}
	return g
}

// pending is an approval request, with earlier answers for the same action if the address selects it.
type pending struct {
	sessions.Approval
	Opened     bool
	Precedents []sessions.Precedent
	Goal       string // of the session
}

// EffectiveIn returns the milliseconds until an approval takes effect, by the server's clock, because the browser's
// clock may be wrong.
func (p pending) EffectiveIn() int64 {
	if p.EffectiveAt == nil {
		return 0
	}
	return max(0, time.Until(*p.EffectiveAt).Milliseconds())
}

const (
	answersShown = 20
	newestShown  = 8
)

// openAppeals returns the open appeals that the caller may see.
func (v *Visit) openAppeals() (check.AppealList, error) {
	return callIfMay[check.AppealList](v, "list_appeals",
		check.AppealsQuery{State: check.AppealOpen, Limit: pendingRead})
}

// opened adds precedents and the session's goal to the request that the address selects.
func (v *Visit) opened(requests []sessions.Approval) ([]pending, error) {
	out := make([]pending, len(requests))
	for i, a := range requests {
		if out[i].Approval = a; a.ApprovalID != v.Query("approval") {
			continue
		}
		out[i].Opened = true
		details, err := callIfMay[sessions.ApprovalDetails](v, "get_approval",
			sessions.ApprovalQuery{ApprovalID: a.ApprovalID})
		if err != nil && !apperr.Is(err, apperr.NotFound) {
			return nil, err
		}
		out[i].Precedents = details.Precedents
		if a.SessionID == "" {
			continue
		}
		started, err := callIfMay[trace.SessionEvents](v, "get_session",
			trace.SessionQuery{SessionID: a.SessionID, Limit: 1})
		if err == nil && len(started.Events) > 0 {
			out[i].Goal = graph.Text(started.Events[0].Payload, "goal")
		}
	}
	return out, nil
}

// denied groups verdicts, which are newest first, by their action, rules and state. The most frequent group is first.
func denied(verdicts []check.VerdictRow) []inboxRow {
	var rows []inboxRow
	counts, agents := map[string]int{}, map[string][]string{}
	for _, v := range verdicts {
		rules, name := graph.Texts(v.Rules), cmp.Or(v.Description, "(no description)")
		key := strings.Join(append([]string{v.Answer(), name}, rules...), "\x00")
		if counts[key]++; counts[key] == 1 {
			rows = append(rows, inboxRow{Key: key, Title: to(name, "/verdicts/"+v.VerdictID), State: badge(v.Answer()),
				Links: linked(rules, policyPath), Note: v.Forced, At: v.At})
		}
		if v.AgentID != "" && !slices.Contains(agents[key], v.AgentID) {
			agents[key] = append(agents[key], v.AgentID)
		}
	}
	slices.SortStableFunc(rows, func(a, b inboxRow) int { return counts[b.Key] - counts[a.Key] })
	for i := range rows {
		row := &rows[i]
		if n := counts[row.Key]; n > 1 {
			row.State.Text = fmt.Sprint(n, " × ", row.State.Text)
		}
		row.Note = strings.Join(append(agents[row.Key], items(row.Note)...), ", ")
		sum := sha256.Sum256([]byte(row.Key))
		row.Key = hex.EncodeToString(sum[:8])
	}
	return rows
}

// verdictsRead is the number of denials that are grouped.
const verdictsRead = 200

func showToday(v *Visit) (_ any, err error) {
	out := today{Whole: v.Query("group")}
	if !v.May("get_today") {
		return out, nil
	}
	var waiting, approving, answers sessions.ApprovalList
	var newest precedents.List
	var appeals check.AppealList
	var open proposals.List
	var denials check.VerdictList
	var requests []pending
	if err := concurrently(reading(v, &out.Today, "get_today",
		insights.TodayQuery{Project: v.Query("project"), AgentID: v.Query("agent_id")}),
		reading(v, &newest, "list_decisions", precedents.ListQuery{Project: v.Query("project"),
			AgentID: v.Query("agent_id"), Limit: newestShown}), func() (err error) {
			appeals, err = v.openAppeals()
			return err
		}, func() (err error) {
			open, _, err = v.openProposals()
			return err
		}, reading(v, &denials, "list_verdicts", check.VerdictFilter{Allowed: new(false), Project: v.Query("project"),
			AgentID: v.Query("agent_id"), Range: timeparse.Range{DateAfter: "24h"},
			Page: policies.Page{Limit: verdictsRead}}),
		reading(v, &approving, "list_approvals", sessions.ApprovalsQuery{State: "approving"}),
		reading(v, &answers, "list_approvals", sessions.ApprovalsQuery{Limit: pendingRead}), func() (err error) {
			waiting, err = callIfMay[sessions.ApprovalList](v, "list_approvals",
				sessions.ApprovalsQuery{State: "waiting", Limit: pendingRead})
			if err == nil {
				requests, err = v.opened(waiting.Approvals)
			}
			return err
		}); err != nil {
		return nil, err
	}
	out.Newest, out.EffectDelay = newest.Decisions, int(math.Ceil(waiting.EffectDelay))
	out.Approving, _ = v.opened(approving.Approvals)
	out.group(v, requests, open, appeals, denials)
	out.Answers = lists.Filter(answers.Approvals,
		func(a sessions.Approval) bool { return a.State != "waiting" && a.State != "approving" })
	out.Answers = out.Answers[:min(answersShown, len(out.Answers))]
	if v.Query("contradictions") != "" {
		out.Contradictions, err = v.contradictions()
	}
	if err == nil && v.Query("reviews") != "" {
		out.ReviewNext, err = v.reviewNext()
	}
	return out, err
}

// group makes the groups of the page that the caller may see.
func (t *today) group(v *Visit, requests []pending, open proposals.List, appeals check.AppealList,
	denials check.VerdictList) {
	add := func(needs string, g inbox) {
		switch {
		case !v.May(needs):
		case len(g.Rows)+len(g.Approvals) > 0 || g.ID == "approvals" || g.ID == t.Whole:
			t.Groups = append(t.Groups, g)
		default:
			t.Nothing = append(t.Nothing, g.Title)
		}
	}
	var frozen []inboxRow
	for _, f := range t.Frozen {
		frozen = append(frozen, inboxRow{Key: f.Policy, Title: to(f.Message, policyPath(f.Policy)),
			State: badge("frozen")})
	}
	add("get_today", group("frozen", "Frozen agents and sessions", "/policies?text=frozen-", len(frozen), false,
		frozen))
	approvals := group("approvals", "Pending approvals", "/?group=approvals#approvals", len(requests),
		len(requests) >= pendingRead, nil)
	if approvals.Approvals = requests; t.Whole != approvals.ID {
		approvals.Approvals = requests[:min(len(requests), inboxRead)]
	}
	add("list_approvals", approvals)
	for _, state := range []string{proposals.StateOpen, proposals.StateStale} {
		rows := proposalRows(open, state)
		add("list_proposals", group(state+"-proposals", capital(state)+" proposals",
			link("/proposals", "state", state), len(rows), open.NextCursor != "", rows))
	}
	var rows []inboxRow
	for _, a := range appeals.Appeals {
		rows = append(rows, inboxRow{Key: a.VerdictID, Title: to(cmp.Or(a.Description, "a denial"),
			"/verdicts/"+a.VerdictID+"#appeal"), State: badge("appealed"), Note: a.AgentID + ": " +
			plain(render.Title(a.Reason)),
			Links: linked(a.Rules, policyPath), At: a.At})
	}
	add("list_appeals", group("appeals", "Open appeals", "/?group=appeals#appeals", appeals.Total, false, rows))
	add("get_today", group("actions", "Overdue reviews and action items", "/decisions?status=pending", t.Ready.Total,
		t.Ready.AtLeast, dueRows(slices.Concat(t.Ready.Actions, t.Drifting))))
	rows = nil
	for _, c := range t.Circuits {
		rows = append(rows, inboxRow{Key: c.Scope, Title: to(c.Scope, "/breakers"),
			State: item{Text: strings.ReplaceAll(c.State, "_", " "), Look: breakerLook(c.State)}})
	}
	add("get_today", group("breakers", "Open circuit breakers", "/breakers", len(rows), false, rows))
	add("list_verdicts", group("denied", fmt.Sprint("Denied in ", t.Hours, " hours"),
		"/verdicts?result=denied&date_after=1d", t.Blocked.Count, t.Blocked.AtLeast, denied(denials.Verdicts)))
}

// proposalRows makes rows of the proposals in a state.
func proposalRows(open proposals.List, state string) (rows []inboxRow) {
	for _, p := range open.Proposals {
		if p.State != state {
			continue
		}
		row := inboxRow{Key: p.ProposalID, Title: to(cmp.Or(strings.Join(p.Change, "; "), "a change of the rules"),
			"/proposals/"+p.ProposalID), State: badge(p.State), Note: p.ProposedBy + ": " +
			plain(render.Title(p.Reason)),
			At: p.CreatedAt}
		if r := p.Replay; r != nil && r.Blocked+r.Unblocked > 0 {
			row.Note = fmt.Sprintf("%d newly denied, %d newly allowed. ", r.Blocked, r.Unblocked) + row.Note
		}
		rows = append(rows, row)
	}
	return rows
}

// dueRows makes rows of action items.
func dueRows(due []insights.DueAction) (rows []inboxRow) {
	for _, d := range due {
		row := inboxRow{Key: cmp.Or(d.ID, d.Category), Title: to(plain(d.Title), "/decisions/"+d.ID),
			State: badge(d.Priority),
			Note:  d.Reason + ". " + d.Suggestion, At: d.Date}
		if d.ID == "" {
			row.Title = to(d.Category, link("/calibration", "category", d.Category))
		}
		rows = append(rows, row)
	}
	return rows
}

// reviewsShown is the number of decisions to review next.
const reviewsShown = 5

func (v *Visit) reviewNext() (*lab.ReviewNext, error) {
	found, err := callIfMay[lab.ReviewNext](v, "list_reviews_next", lab.ReviewNextRequest{Limit: reviewsShown,
		Filter: lab.Filter{Project: v.Query("project"), AgentID: v.Query("agent_id"),
			Range: timeparse.Range{DateAfter: "30d"}}})
	return &found, err
}

// todayReviews returns the next reviews for the script, or a link to them if reading takes longer than a preview may.
func todayReviews(v *Visit) (Answer, error) {
	ctx, cancel := context.WithTimeout(v.Context(), previewTime) // every view of the page calls this
	defer cancel()
	limited := *v
	limited.Request = v.WithContext(ctx)
	found, err := limited.reviewNext()
	switch {
	case ctx.Err() != nil && v.Context().Err() == nil:
		return v.Fragment("reviews", nil)
	case err != nil:
		return Answer{}, err
	}
	return v.Fragment("reviews", found)
}

func (v *Visit) contradictions() (*insights.Contradictions, error) {
	found, err := callIfMay[insights.Contradictions](v, "list_contradictions",
		insights.ContradictionsQuery{Selection: insights.Selection{Project: v.Query("project")},
			AgentID: v.Query("agent_id")})
	return &found, err
}

// todayContradictions returns the slowest part of the page to the script.
func todayContradictions(v *Visit) (Answer, error) {
	found, err := v.contradictions()
	if err != nil {
		return Answer{}, err
	}
	return v.Fragment("contradictions", found)
}

var approvalActs = map[string]Act{"approve": approveRequest, "reject": rejectRequest, "undo": undoApproval}

// approveRequest approves a request, for one use or for the time in the form.
func approveRequest(v *Visit) (string, error) {
	grant := sessions.Grant{Answer: sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")}}
	if err := v.argument("approve_request", "for_seconds", v.Form("for_seconds"), &grant.ForSeconds); err != nil {
		return "", err
	}
	return v.do("", "approve_request", grant)
}

func undoApproval(v *Visit) (string, error) {
	return v.do("", "undo_approval", sessions.Undoing{ApprovalID: v.Form("approval")})
}

// rejectRequest rejects the selected requests. A request that somebody else answered does not keep it from the others.
func rejectRequest(v *Visit) (string, error) {
	var errs []error
	for _, id := range v.PostForm["approval"] {
		_, err := v.call("reject_request", sessions.Answer{ApprovalID: id, Reason: v.Form("reason")})
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return "", apperr.New(apperr.Validation, "No requests are selected").WithHint("Select at least one request")
	}
	return "", cmp.Or(errs...)
}
