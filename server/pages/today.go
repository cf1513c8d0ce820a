package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/trace"
)

// today is the data of the home page.
type today struct {
	insights.Today
	Contradictions *insights.Contradictions // nil until loaded by a second request, because the search is slow
	// nil until loaded by a second request, because it reads the verdicts of 30 days
	ReviewNext  *lab.ReviewNext
	Approvals   []pending
	Approving   []pending // approved, but not yet in effect
	Answers     []sessions.Approval
	Appeals     check.AppealList // open ones
	Proposals   proposals.List   // open ones
	EffectDelay int              // seconds until an approval takes effect
	Denials     []denial
	Newest      []decisions.Summary
}

// pending is an approval request with earlier answers for the same action.
type pending struct {
	sessions.Approval
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

// Parameters returns the parameters as pairs of name and value. ok is false if they are not a JSON object.
func (p pending) Parameters() (pairs [][2]string, ok bool) {
	var facts graph.Parameters
	if json.Unmarshal([]byte(p.Params), &facts) != nil {
		return nil, false
	}
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		pairs = append(pairs, [2]string{name, cmp.Or(shownValue(facts[name]), "empty")})
	}
	return pairs, true
}

// Table returns the parameters for the page: the pairs, or the text as it is.
func (p pending) Table() any {
	if pairs, ok := p.Parameters(); ok {
		return pairs
	}
	return [][2]string{{"parameters", p.Params}}
}

const (
	precedentsRead = 20 // requests whose precedents are read; more are rarely pending at a time
	answersShown   = 20
	newestShown    = 8
)

// openAppeals returns the open appeals that the caller may see.
func (v *Visit) openAppeals() (check.AppealList, error) {
	return callIfMay[check.AppealList](v, "list_appeals",
		check.AppealsQuery{State: check.AppealOpen, Limit: pendingRead})
}

// described adds precedents and goals. A request that was answered in the meantime has no precedents.
func (v *Visit) described(approvals []sessions.Approval) []pending {
	out := make([]pending, len(approvals))
	var reading sync.WaitGroup
	for i, a := range approvals {
		out[i].Approval = a
		if i >= precedentsRead || !v.May("get_approval") {
			continue
		}
		reading.Go(func() {
			if shown, err := Call[sessions.ApprovalDetails](v, "get_approval",
				sessions.ApprovalQuery{ApprovalID: a.ApprovalID}); err == nil {
				out[i].Precedents = shown.Precedents
			}
			if a.SessionID == "" {
				return
			}
			started, err := callIfMay[trace.SessionEvents](v, "get_session",
				trace.SessionQuery{SessionID: a.SessionID, Limit: 1})
			if err == nil && len(started.Events) > 0 {
				out[i].Goal = graph.Text(started.Events[0].Payload, "goal")
			}
		})
	}
	reading.Wait()
	return out
}

// denial counts denied actions with the same description and the same violated rules.
type denial struct {
	Name, VerdictID string // of the newest verdict
	Rules           []string
	Agents          []string
	Count           int
	At              time.Time
	Waits           bool // an approval request is pending
	Forced          string
}

// denied groups verdicts, which are newest first. The most frequent group is first.
func (t today) denied(rows []check.VerdictRow) []denial {
	var groups []denial
	at := map[string]int{}
	for _, row := range rows {
		rules := graph.Texts(row.Rules)
		name := cmp.Or(row.Description, "(no description)")
		key := name + "\x00" + strings.Join(rules, "\x00")
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key] = i
			groups = append(groups, denial{Name: name, VerdictID: row.VerdictID, Rules: rules, At: row.At})
		}
		g := &groups[i]
		g.Count++
		if row.AgentID != "" && !slices.Contains(g.Agents, row.AgentID) {
			g.Agents = append(g.Agents, row.AgentID)
		}
		g.Waits = g.Waits || slices.ContainsFunc(t.Approvals,
			func(a pending) bool { return a.VerdictID == row.VerdictID })
		if at := slices.IndexFunc(t.Blocked.Newest, func(b insights.BlockedAction) bool {
			return b.VerdictID == row.VerdictID
		}); at >= 0 {
			g.Forced = cmp.Or(g.Forced, t.Blocked.Newest[at].Forced)
		}
	}
	slices.SortStableFunc(groups, func(a, b denial) int { return b.Count - a.Count })
	return groups
}

// verdictsRead is the number of denials that are grouped.
const verdictsRead = 500

func showToday(v *Visit) (any, error) {
	var out today
	if !v.May("get_today") {
		return out, nil
	}
	var waiting, approving, answers sessions.ApprovalList
	var newest precedents.List
	approvals := func(into *sessions.ApprovalList, q sessions.ApprovalsQuery) func() error {
		return func() (err error) {
			*into, err = callIfMay[sessions.ApprovalList](v, "list_approvals", q)
			return err
		}
	}
	if err := concurrently(func() (err error) {
		out.Today, err = Call[insights.Today](v, "get_today",
			insights.TodayQuery{Project: v.Query("project"), AgentID: v.Query("agent_id")})
		return err
	}, func() (err error) {
		newest, err = callIfMay[precedents.List](v, "list_decisions",
			precedents.ListQuery{Project: v.Query("project"), AgentID: v.Query("agent_id"), Limit: newestShown})
		return err
	}, func() (err error) {
		out.Appeals, err = v.openAppeals()
		return err
	}, func() (err error) {
		out.Proposals, _, err = v.openProposals()
		return err
	}, approvals(&waiting, sessions.ApprovalsQuery{State: "waiting", Limit: pendingRead}),
		approvals(&approving, sessions.ApprovalsQuery{State: "approving"}),
		approvals(&answers, sessions.ApprovalsQuery{Limit: pendingRead})); err != nil {
		return nil, err
	}
	out.Newest, out.EffectDelay = newest.Decisions, int(math.Ceil(waiting.EffectDelay))
	var denials check.VerdictList
	err := concurrently(func() error {
		out.Approving, out.Approvals = v.described(approving.Approvals), v.described(waiting.Approvals)
		return nil
	}, func() (err error) {
		if out.Blocked.Count > 0 {
			denied := false
			since := out.At.Add(-time.Duration(out.Hours) * time.Hour).Format(time.RFC3339)
			denials, err = callIfMay[check.VerdictList](v, "list_verdicts",
				check.VerdictFilter{Allowed: &denied, Project: v.Query("project"), AgentID: v.Query("agent_id"),
					Range: timeparse.Range{DateAfter: since}, Page: policies.Page{Limit: verdictsRead}})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Denials = out.denied(denials.Verdicts)
	out.Answers = policies.Filter(answers.Approvals,
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
	_, err := Call[sessions.Approval](v, "approve_request", grant)
	return "", err
}

func undoApproval(v *Visit) (string, error) {
	_, err := Call[sessions.Approval](v, "undo_approval", sessions.Undoing{ApprovalID: v.Form("approval")})
	return "", err
}

func rejectRequest(v *Visit) (string, error) {
	_, err := Call[sessions.Approval](v, "reject_request",
		sessions.Answer{ApprovalID: v.Form("approval"), Reason: v.Form("reason")})
	return "", err
}
