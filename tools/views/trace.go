package views

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"nomograph/internal/terminal"
	"nomograph/trace"
)

// traceSessionList formats a page of sessions.
func traceSessionList(l trace.SessionList, page terminal.Page) string {
	ids := make([]string, len(l.Sessions))
	for i, s := range l.Sessions {
		ids[i] = s.SessionID
	}
	ids = page.IDs(ids)
	rows := make([][]string, len(l.Sessions))
	for i, s := range l.Sessions {
		ended := "-"
		if !s.EndedAt.IsZero() {
			ended = page.Time(s.EndedAt)
		}
		rows[i] = []string{ids[i], s.AgentID, strconv.FormatInt(s.Events, 10), page.Time(s.LastAt), page.Time(s.StartedAt), cmp.Or(s.Workspace, "-"), ended}
	}
	return page.List([]string{"SESSION_ID", "AGENT_ID", "EVENTS", "LAST_AT", "STARTED_AT", "WORKSPACE", "ENDED_AT"}, rows, l.NextCursor)
}

// traceVerification formats the result of verifying chains.
func traceVerification(v trace.Verification) string {
	var b strings.Builder
	if v.Intact {
		b.WriteString("intact")
	} else {
		fmt.Fprintf(&b, "NOT intact; problems: %d", int64(len(v.Problems))+v.Omitted)
	}
	fmt.Fprintf(&b, "; sessions: %d, events: %d\n", v.Sessions, v.Events)
	for _, p := range v.Problems {
		fmt.Fprintf(&b, "  session %s, event %d: %s. %s\n", p.SessionID, p.Seq, p.Problem, p.Message)
	}
	if v.Omitted > 0 {
		fmt.Fprintf(&b, "  and %d more\n", v.Omitted)
	}
	if v.Head != "" {
		fmt.Fprintf(&b, "head %s\n", v.Head)
	}
	return b.String()
}
