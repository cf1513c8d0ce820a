package pages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/policies/check"
	"nomograph/sessions"
)

// pendingRead is how many approval requests, proposals and appeals are counted, of each.
const pendingRead = 100

// countAge is the time for which pages use the last count of their caller. An act of any page ends it earlier.
const countAge = 5 * time.Second

// maxCountWait bounds the wait of a page for its count.
var maxCountWait = 300 * time.Millisecond

// remembered is what the server read for a caller at a time.
type remembered struct {
	text string
	at   time.Time
}

// pendingAnswers returns as text how many approval requests, proposals and appeals the caller may decide; "" for none.
// Nobody can decide about their own request, proposal or appeal. The page Today lists them, so it always counts them.
// If a list cannot be read, it returns "", because a part of the number would be wrong.
func (v *Visit) pendingAnswers() string {
	counts, key := v.server.counts, countKey(v.Caller())
	if last, ok := counts.Load(key); ok && (v.page == nil || v.page.Name != "today") &&
		time.Since(last.(remembered).at) < countAge {
		return last.(remembered).text
	}
	// without a deadline: the graph counts calls that time out as a sign of a dead connection
	ctx, cancel := context.WithCancel(v.Context())
	defer cancel()
	defer time.AfterFunc(maxCountWait, cancel).Stop()
	short := *v
	short.Request = v.WithContext(ctx)
	text, err := short.countPending()
	if err != nil { // the page itself reports errors
		return ""
	}
	counts.Store(key, remembered{text, time.Now()})
	return text
}

// countKey is equal for callers with equal counts. A caller of no project differs from one of all projects.
func countKey(who caller.Caller) string {
	return fmt.Sprintf("%q %v %q %v %q", who.Name, who.Trusted, who.Permissions, who.Limited(), who.Projects)
}

// countPending reads the number of pendingAnswers.
func (v *Visit) countPending() (string, error) {
	var counts [3]int
	var more [3]bool
	own := func(name string) bool { return caller.SameAgent(name, v.Caller().Name) }
	reads := []func() error{func() error {
		list, err := callIfMay[sessions.ApprovalList](v, "list_approvals",
			sessions.ApprovalsQuery{State: "waiting", Limit: pendingRead})
		counts[0] = len(lists.Filter(list.Approvals, func(a sessions.Approval) bool { return !own(a.AgentID) }))
		more[0] = len(list.Approvals) >= pendingRead
		return err
	}}
	if v.permitted("approve_proposal") {
		reads = append(reads, func() error {
			list, others, err := v.openProposals()
			counts[1], more[1] = others, list.NextCursor != ""
			return err
		})
	}
	if v.permitted("uphold_verdict") {
		reads = append(reads, func() error {
			list, err := v.openAppeals()
			counts[2] = len(lists.Filter(list.Appeals, func(a check.Appeal) bool { return !own(a.AgentID) }))
			more[2] = len(list.Appeals) >= pendingRead
			return err
		})
	}
	if err := concurrently(reads...); err != nil {
		return "", err
	}
	switch n := counts[0] + counts[1] + counts[2]; {
	case n == 0:
		return "", nil
	case slices.Contains(more[:], true):
		return fmt.Sprintf("%d+", max(1, n-1)), nil
	default:
		return strconv.Itoa(n), nil
	}
}
