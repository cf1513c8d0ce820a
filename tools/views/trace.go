package views

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/trace"
)

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
	render.WriteNonEmpty(&b, "  and %d more\n", v.Omitted)
	render.WriteNonEmpty(&b, "head %s\n", v.Head)
	return b.String()
}
