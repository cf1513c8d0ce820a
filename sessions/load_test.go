package sessions_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const billing = `
atlas_version: "1.0"
atlas_id: com.acme.billing
version: 1.2.0
name: Billing
domains: [billing]
context_blocks:
  - {context_id: invoices, name: Invoices, content: How invoices are made, priority: 10, keywords: [invoice]}
  - {context_id: refunds, name: Refunds, content: How refunds are made, also_inject: [invoices]}
actions:
  - {action_id: invoice.send, risk_tier: low}
  - {action_id: invoice.delete, risk_tier: high}
  - {action_id: refund.pay, risk_tier: high}
  - {action_id: report.run}
  - {action_id: file.write}
policies:
  - {policy_id: no-deleting, type: deny, actions: ["*.delete"], reason: Invoices are kept for ten years, alternatives: [Cancel the invoice]}
  - {policy_id: refunds-by-a-person, type: requires_approval, actions: [refund.pay]}
  - {policy_id: reports, type: rate_limit, actions: [report.run], parameters: {max_calls: 2, window_seconds: 60}}
  - {policy_id: postage, type: budget, actions: [invoice.send], parameters: {limit: 10, parameter: cost}}
  - policy_id: no-production-writes
    type: deny
    actions: [file.write]
    reason: Nothing is written to /prod by hand
    alternatives: [Write to /staging instead]
    parameters: {paths: ["/prod/*"]}
`

func load(t *testing.T, env *tools.App, o change.ApplyOptions, texts ...string) (sessions.Loaded, error) {
	t.Helper()
	sources := make([]pack.Source, len(texts))
	for i, text := range texts {
		sources[i] = pack.Source{Name: fmt.Sprintf("atlas%d.yaml", i+1), Text: text}
	}
	return env.Sessions.LoadAtlases(t.Context(), sessions.LoadRequest{Atlases: sources, By: "tester", ApplyOptions: o})
}

// TestAtlas_Loaded_GovernsSessions: an atlas is loaded, evaluates actions, changes, and is exported.
func TestAtlas_Loaded_GovernsSessions(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, billing))(t)
	t.Run("an atlas that is loaded again changes nothing", func(t *testing.T) {
		again, err := load(t, env, change.ApplyOptions{}, billing)
		if err != nil || len(again.Packs) != 1 || len(again.Packs[0].Changes) > 0 ||
			again.Packs[0].Pack != "atlas:com.acme.billing" {
			t.Fatalf("loading twice: %+v %v", again, err)
		}
	})
	t.Run("a list counts contexts and policies", func(t *testing.T) {
		listed, err := env.Sessions.Atlases(t.Context(), sessions.AtlasesQuery{})
		if err != nil || listed.Total != 1 || listed.Atlases[0].Contexts != 2 || listed.Atlases[0].Policies != 6 ||
			listed.Atlases[0].Domains[0] != "billing" || listed.Atlases[0].LoadedAt == nil {
			t.Fatalf("got %+v %v, want Total=1, Contexts=2, Policies=6, Domains[0]=billing, non-nil LoadedAt", listed,
				err)
		}
	})

	checked := func(t *testing.T, name, agent string, params graph.Parameters) check.Verdict {
		t.Helper()
		return graphtest.Must(env.Checks.Check(t.Context(),
			check.ActionCheck{Description: "x", Name: name, Params: params,
				By: agent}))(t)
	}
	t.Run("each kind of policy is evaluated", func(t *testing.T) {
		const ours = "com.acme.billing/"
		for name, c := range map[string]struct {
			action, params string
			objects        string
			permits        int
		}{
			"known":                      {"report.other", "", "", 0},
			"deny":                       {"invoice.delete", "", "no-deleting", 1},
			"approval":                   {"refund.pay", "", "refunds-by-a-person", 1},
			"of another project":         {"order.delete", "", "", 0},
			"a path":                     {"file.write", "/prod/x", "no-production-writes", 1},
			"a path that climbs":         {"file.write", "/staging/../prod/x", "no-production-writes", 1},
			"another path":               {"file.write", "/staging/x", "", 1},
			"paths":                      {"file.write", "/staging/x,/prod/x", "no-production-writes", 1},
			"other paths":                {"file.write", "/staging/x,/staging/y", "", 1},
			"a budget without an amount": {"invoice.send", "", "postage", 1},
		} {
			params := graph.Parameters{}
			if c.params != "" {
				params["path"] = c.params
			}
			if all := strings.Split(c.params, ","); len(all) > 1 {
				params = graph.Parameters{"paths": []any{all[0], all[1]}}
			}
			v := checked(t, c.action, "a", params)
			if v.Allowed != (c.objects == "") || len(v.Permits) != c.permits || c.objects != "" &&
				(len(v.Violations) != 1 || v.Violations[0].GuardrailID != ours+c.objects) {
				t.Errorf(`%s: got %+v, want Allowed=%v, len(Permits)=%v, not c.objects != "" && (len(v.Violations) != 1 || v.Violations[0].GuardrailID != ours+c.objects)`, name, v, (c.objects == ""), c.permits)
			}
		}
	})
	t.Run("a violation has the reason, the alternative and the severity of its policy", func(t *testing.T) {
		denied := checked(t, "invoice.delete", "a", nil).Violations[0]
		if denied.Message != "Invoices are kept for ten years" || denied.Alternatives[0] != "Cancel the invoice" ||
			denied.Severity != "block" {
			t.Errorf(`got %+v, want Message="Invoices are kept for ten years", Alternatives[0]="Cancel the invoice", Severity=block`, denied)
		}
		golden.Equal(t, "severity", checked(t, "refund.pay", "a", nil).Violations[0].Severity, "approve")
	})
	t.Run("a rate limit holds for an agent in all processes", func(t *testing.T) {
		other := toolstest.App(t, g.DB)
		for i, want := range []bool{true, true, false, false} {
			from := []*tools.App{env, other}[i%2]
			v, err := from.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Name: "report.run",
				By: []string{"Ann", "ann"}[i%2]})
			if err != nil || v.Allowed != want {
				t.Errorf("call %d: %+v %v", i+1, v, err)
			}
		}
		if v := checked(t, "report.run", "Bob", nil); !v.Allowed {
			t.Errorf("another agent: %+v", v)
		}
	})
	t.Run("a budget counts only amounts that were allowed", func(t *testing.T) {
		for i, c := range []struct {
			cost any
			want bool
		}{{6.5, true}, {int64(4), false}, {-1.0, false}, {"much", false}, {3.5, true}, {0.1, false}} {
			golden.Equal(t, fmt.Sprint("amount ", i+1), checked(t, "invoice.send", "Ann",
				graph.Parameters{"cost": c.cost}).Allowed, c.want)
		}
	})
	t.Run("a new version keeps a manual edit, and a context that left until it is pruned", func(t *testing.T) {
		g.Exec(t, "MATCH (c:Context {context_id: 'invoices'}) SET c.priority = 99", nil)
		shorter := strings.Replace(strings.Replace(billing,
			"  - {context_id: refunds, name: Refunds, content: How refunds are made, also_inject: [invoices]}\n", "",
			1), "1.2.0", "1.3.0", 1)
		changed, err := load(t, env, change.ApplyOptions{DryRun: true}, shorter)
		if err != nil || !strings.Contains(changed.Summary, "context refunds: left the pack") ||
			!strings.Contains(changed.Summary, "priority: 99 here, 10 in the pack") {
			t.Errorf(`got %s %v, want Summary with "context refunds: left the pack", Summary with "priority: 99 here, 10 in the pack"`, changed.Summary, err)
		}
		graphtest.Must(load(t, env, change.ApplyOptions{}, shorter))(t)
		text, err := env.Sessions.Export(t.Context(), sessions.AtlasQuery{AtlasID: "com.acme.billing"})
		if err != nil || text.Version != "1.3.0" || text.Contexts != 1 ||
			!strings.Contains(text.Text, "priority: 99") || strings.Contains(text.Text, "refunds,") {
			t.Errorf(`got %+v %v, want Version=1.3.0, Contexts=1, Text with "priority: 99", Text without "refunds,"`,
				text, err)
		}
		golden.Equal(t, "contexts left", toolstest.Count(t, g, "MATCH (c:Context) RETURN count(c)"), 2)
		if back, err := load(t, env, change.ApplyOptions{}, text.Text); err != nil ||
			!strings.Contains(back.Summary, "unchanged") || strings.Contains(back.Summary, "created") {
			t.Errorf("reloaded export: got %s, %v, want everything unchanged", back.Summary, err)
		}
		graphtest.Must(load(t, env, change.ApplyOptions{Prune: true}, shorter))(t)
		golden.Equal(t, "versions of the pruned context",
			toolstest.Count(t, g, "MATCH (v:ContextVersion {name: 'refunds'}) WHERE NOT EXISTS { (:Context {context_id: 'refunds'}) } RETURN count(v)"), 1)
	})
	t.Run("an unknown atlas is not found", func(t *testing.T) {
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Export(t.Context(),
			sessions.AtlasQuery{AtlasID: "com.acme.biling"})), apperr.NotFound)
	})

	const stands = "atlas_version: \"1.0\"\natlas_id: stands.on\nversion: 1.0.0\nname: S\ndependencies: {com.acme.billing: ^1.0.0}\ncontext_blocks: [{context_id: s, name: S, content: a, also_inject: [invoices]}]\n"
	graphtest.Must(load(t, env, change.ApplyOptions{}, stands))(t)
	t.Run("an atlas that does not fit those in the graph is refused with its place", func(t *testing.T) {
		const another = "atlas_version: \"1.0\"\natlas_id: x.y\nversion: 1.0.0\nname: X\n"
		for name, c := range map[string]struct{ text, want string }{
			"a context of another": {another + "context_blocks: [{context_id: invoices, name: I, content: a}]\n",
				"atlas1.yaml:5:19: the context 'invoices' already exists, of the atlas com.acme.billing"},
			"a dependency": {another + "dependencies: {no.such: \"*\"}\n",
				"atlas1.yaml:5:16: the atlas depends on 'no.such', which is neither in this call nor in the graph"},
			"another version of it": {another + "dependencies: {com.acme.billing: ^2.0.0}\n",
				"the atlas requires 'com.acme.billing' in version ^2.0.0, but version 1.3.0 is loaded"},
			"a circle with the graph": {strings.Replace(billing, "domains:",
				"dependencies: {stands.on: \"*\"}\ndomains:", 1), "depend on each other in a cycle"},
			"what others stand on": {strings.Replace(billing, "1.2.0", "2.0.0", 1),
				"atlas1.yaml:4:1: 'stands.on' in the graph requires this atlas in version ^1.0.0, but it is 2.0.0"},
			"a context that others give": {"atlas_version: \"1.0\"\natlas_id: com.acme.billing\nversion: 1.4.0\nname: B\ncontext_blocks: [{context_id: bills, name: B, content: a}]\n",
				"the context 'invoices' is removed, but 's' of the atlas stands.on includes it"},
			"a context of a stranger": {another + "dependencies: {com.acme.billing: ^1.0.0}\ncontext_blocks: [{context_id: z, name: Z, content: a, also_inject: [nosuch]}]\n", "'nosuch' is a context of neither the atlas nor one of its dependencies"},
		} {
			_, err := load(t, env, change.ApplyOptions{}, c.text)
			if !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
	})

	t.Run("an atlas that another depends on is removed only by force", func(t *testing.T) {
		removal := change.PackRemoval{Name: "atlas:com.acme.billing", Reason: "gone", By: "tester"}
		_, err := env.Change.RemovePack(t.Context(), removal)
		toolstest.ErrorWithCode(t, err, apperr.Conflict)
		if !strings.Contains(err.Error(), "'stands.on' depends on it") {
			t.Error(err)
		}
		removal.Force = true
		golden.Contains(t, "summary", graphtest.Must(env.Change.RemovePack(t.Context(), removal))(t).Summary,
			"atlas:com.acme.billing")
		if _, err := env.Change.RemovePack(t.Context(),
			change.PackRemoval{Name: "atlas:stands.on", Reason: "gone", By: "tester"}); err != nil {
			t.Errorf("removal of an atlas without dependents: got %v, want no error", err)
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }
