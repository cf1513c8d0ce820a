package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestRequireProposals_OverTheNetwork_RefusesEveryChangeOfRules needs no database: the refusal comes first.
func TestRequireProposals_OverTheNetwork_RefusesEveryChangeOfRules(t *testing.T) {
	app := toolstest.App(t, toolstest.Unavailable(t))
	app.RequireProposals = true
	refuses := func(o tools.Operation, transport string) bool {
		arguments := map[string]any{}
		for _, name := range o.Input().Required {
			arguments[name] = example(o, name)
		}
		raw := graphtest.Must(json.Marshal(arguments))(t)
		_, err := o.Run(caller.With(t.Context(), caller.Caller{Name: "mia", Trusted: true, Transport: transport}), app,
			raw)
		return apperr.Is(err, apperr.PermissionDenied) && strings.Contains(apperr.From(err).Hint, "propose_change")
	}
	// These operations change no rule, or are proposals themselves.
	others := strings.Fields("diff_packs approve_request reject_request undo_approval retract_decision unlink_decisions reset_circuit sync_policies " +
		"approve_proposal reject_proposal apply_proposal diff_atlases uphold_verdict overturn_verdict renew_exception revoke_exception test_webhook resend_webhook")
	for _, o := range tools.Catalog {
		for _, transport := range []string{"", "mcp", "rest", "cstp", caller.Pages} {
			if refuses(o, transport) != o.Rules {
				t.Errorf("%s at %q: refused %v", o.Name, transport, !o.Rules)
			}
		}
		if o.Rules && refuses(o, caller.CommandLine) {
			t.Errorf("%s is refused on the command line", o.Name)
		}
		if o.Permission == tools.Govern && !o.Hints.ReadOnly && o.Rules == slices.Contains(others, o.Name) {
			t.Errorf("classify %s: it must or must not change rules", o.Name)
		}
	}
}
