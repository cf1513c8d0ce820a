package pages

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/sessions"
)

// pendingRead is how many approval requests, proposals and appeals are counted, of each.
const pendingRead = 100

// pendingAnswers returns as text how many approval requests, proposals and appeals the caller may decide; "" for none.
// Nobody can decide about their own request, proposal or appeal. The page Today lists them, so it counts them again;
// other pages use the last count of the caller. If a list cannot be read, it returns "", because a part of the number
// would be wrong.
func (v *Visit) pendingAnswers() string {
	who, counts := v.Caller(), v.server.counts
	key := countKey(who)
	text, known, changes := counts.last(key)
	if known && (v.page == nil || v.page.Name != "today") {
		return text
	}
	text, err := v.countPending()
	if err != nil { // the page itself reports errors
		return ""
	}
	counts.remember(key, text, changes)
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
		counts[0] = len(policies.Filter(list.Approvals, func(a sessions.Approval) bool { return !own(a.AgentID) }))
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
			counts[2] = len(policies.Filter(list.Appeals, func(a check.Appeal) bool { return !own(a.AgentID) }))
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

// maxCountWait bounds the wait of a page for its count, after everything else on the page was read.
var maxCountWait = 300 * time.Millisecond

// startCount counts the pendingAnswers in the background. The returned function returns them, or "" if they take too
// long after its call.
func (v *Visit) startCount() (count func() string) {
	// without a deadline: the graph counts calls that time out as a sign of a dead connection
	ctx, cancel := context.WithCancel(v.Context())
	short := *v
	short.Request = v.WithContext(ctx)
	var text string
	var counting sync.WaitGroup
	counting.Go(func() { text = short.pendingAnswers() })
	return func() string {
		defer cancel()
		defer time.AfterFunc(maxCountWait, cancel).Stop()
		counting.Wait()
		return text
	}
}

const (
	maxCountAge = 10 * time.Second // requests also expire, which changes nothing in the graph
	maxCountGap = time.Minute      // after the last page, commits are not watched any more
)

// pendingCounts holds the last count of each caller until something is committed. A request, proposal or appeal of
// this process counts immediately. Any other commit in the database counts within a second, because a poll does not
// say what was committed.
type pendingCounts struct {
	watch func(labels ...string) (<-chan graph.CommitNotification, func())

	mu      sync.Mutex
	commits <-chan graph.CommitNotification // nil while no page is open
	idle    *time.Timer                     // ends the watch
	changes int                             // number of changes that were noticed
	counted map[string]pendingCount         // counts by caller
}

type pendingCount struct {
	text string
	at   time.Time
}

// last returns the last count of a caller if it still holds, and the number of changes before it.
func (c *pendingCounts) last(key string) (text string, ok bool, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.commits == nil {
		commits, stop := c.watch("Approval", "Appeal", "ProposalStep")
		c.commits, c.counted = commits, map[string]pendingCount{}
		c.idle = time.AfterFunc(maxCountGap, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			if stop(); c.commits == commits {
				c.commits = nil
				c.changes++
			}
		})
	}
	c.idle.Reset(maxCountGap)
	c.notice()
	count, ok := c.counted[key]
	return count.text, ok && time.Since(count.at) < maxCountAge, c.changes
}

// remember stores a count unless something changed since its read began.
func (c *pendingCounts) remember(key, text string, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notice(); c.commits != nil && c.changes == changes {
		c.counted[key] = pendingCount{text, time.Now()}
	}
}

// notice drops all counts if anything was committed. It must be called with the lock held.
func (c *pendingCounts) notice() {
	select {
	case n := <-c.commits: // blocks forever if nil, so the default runs
		if n.Moved {
			clear(c.counted)
			c.changes++
		}
	default:
	}
}
