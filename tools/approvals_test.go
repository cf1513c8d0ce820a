package tools

import (
	"strings"
	"testing"

	"nomograph/sessions"
)

// TestApprovalQuestion_LongParams_SaysThatTheyAreCut: an approval also covers a command after a thousand harmless
// characters, so the question says that it is cut.
func TestApprovalQuestion_LongParams_SaysThatTheyAreCut(t *testing.T) {
	question := func(params string) string {
		return approvalQuestion(sessions.ApprovalDetails{Approval: sessions.Approval{AgentID: "Ann", Action: "run",
			Params: params, Project: "acme/shop", Why: "Ask"}})
	}
	long := question(`{"cmd":"` + strings.Repeat("é", 992) + `; rm -rf /srv"}`)
	if !strings.Contains(long, "CUT: 15 more characters are not shown") || strings.Contains(long, "rm -rf") {
		t.Errorf(`got %s, want long with "CUT: 15 more characters are not shown", long without "rm -rf"`, long)
	}
	if short := question(`{"cmd":"` + strings.Repeat("é", 990) + `"}`); strings.Contains(short, "CUT") ||
		!strings.Contains(short, "run in acme/shop with {") {
		t.Errorf(`got %s, want short without CUT, short with "run in acme/shop with {"`, short)
	}
}
