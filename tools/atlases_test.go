package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/events"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// atlasOf returns an atlas with a context that is always given and a context that searches find. more are additional
// keys of the atlas.
func atlasOf(id, reply, more string) string {
	return fmt.Sprintf(`{atlas_version: "1.0", atlas_id: %[1]s, version: 1.0.0, name: Atlas %[2]s, domains: [billing], %[3]s
		context_blocks: [{context_id: %[1]s-rules, name: Invoices %[2]s, content: How invoices are numbered %[2]s, inject_mode: always, keywords: [invoice], inject_when: ["deploy*"], also_inject: [%[1]s-more]},
		{context_id: %[1]s-more, name: More %[2]s, content: What else invoices need %[2]s}]}`, id, reply, more)
}

// loadOf is a call of load_atlases.
func loadOf(text string, more map[string]any) map[string]any {
	arguments := map[string]any{"atlases": []any{map[string]any{"name": "a.yaml", "text": text}}}
	for name, value := range more {
		arguments[name] = value
	}
	return arguments
}

// TestAtlas_OfAnotherProject_IsHidden calls every operation that returns atlases or contexts.
func TestAtlas_OfAnotherProject_IsHidden(t *testing.T) {
	g, env := toolstest.Open(t)
	run := func(who caller.Caller, name string, arguments map[string]any) (string, error) {
		t.Helper()
		o, ok := tools.Find(tools.Catalog, name)
		if !ok {
			t.Fatalf("%s is missing", name)
		}
		reply := graphtest.Must(json.Marshal(arguments))(t)
		out, err := o.Run(caller.With(t.Context(), who), env, reply)
		text, _ := json.Marshal(out)
		return string(text), err
	}
	must := func(who caller.Caller, name string, arguments map[string]any) string {
		t.Helper()
		text, err := run(who, name, arguments)
		if err != nil {
			t.Fatalf("%s: got %v, want no error", name, err)
		}
		return text
	}
	of := func(name, project string) caller.Caller {
		return caller.Caller{Name: name, Authenticated: true, Permissions: []caller.Permission{caller.Admin},
			Projects: []string{project}}
	}
	shop, bank, root := of("shop", "acme/shop"), of("bank", "acme/bank"), caller.Local("root")
	subscription := graphtest.Must(env.Feed.Subscribe(caller.With(t.Context(), shop),
		events.Query{Types: events.Types()}))(t)
	defer subscription.Close()
	must(bank, "load_atlases", loadOf(atlasOf("vault", "zebra", ""), nil))
	must(root, "load_atlases", loadOf(atlasOf("named", "zebra", `project: " Acme/Bank ",`), nil))
	must(root, "load_atlases", loadOf(atlasOf("given", "zebra", ""), map[string]any{"project": "acme/bank"}))
	must(root, "load_atlases", loadOf(atlasOf("given", "zebra", "license: MIT,"),
		nil)) // the atlas stays in its project
	must(root, "load_atlases", loadOf(atlasOf("public", "plain", ""), nil))
	if n := toolstest.Count(t, g, "MATCH (a:Atlas) WHERE toLower(a.project) = 'acme/bank' RETURN count(a)"); n != 3 {
		t.Fatalf("%d atlases have a project", n)
	}

	must(bank, "cra_start_session", map[string]any{"goal": "Number the invoices", "session_id": "s-bank"})
	session := must(shop, "cra_start_session", map[string]any{"goal": "Number the invoices",
		"atlas_hints": []any{"vault", "billing"}, "session_id": "s-shop"})
	graphtest.Contains(t, session, "plain")
	toolstest.Stage{Graph: g, App: env, Callers: map[string]caller.Caller{"shop": shop, "bank": bank},
		Names: map[string]string{"hidden": "-zebra ; -vault ; -given- ; -named",
			"atlas":   toolstest.History(t, env, "atlas", "vault")[0].To,
			"context": toolstest.History(t, env, "context", "vault-rules")[0].To}}.
		Play(t, "testdata/calls/atlases.txt")

	for name, refused := range map[string]struct {
		arguments map[string]any
		code      apperr.Code
	}{
		"another's id":   {loadOf(atlasOf("vault", "mine", ""), nil), apperr.Conflict},
		"everybody's id": {loadOf(atlasOf("public", "mine", ""), nil), apperr.Conflict},
		"for another project": {loadOf(atlasOf("own", "mine", ""), map[string]any{"project": "acme/bank"}),
			apperr.PermissionDenied},
		"naming another": {loadOf(atlasOf("own", "mine", "project: acme/bank,"), nil), apperr.PermissionDenied},
		"with a rule": {loadOf(atlasOf("own", "mine",
			"actions: [{action_id: git.push}], policies: [{policy_id: no, type: deny, actions: [git.push]}],"), nil),
			apperr.PermissionDenied},
		"with known actions": {loadOf(atlasOf("own", "mine", "actions: [{action_id: git.push}],"), nil),
			apperr.PermissionDenied},
		"taking over": {loadOf(atlasOf("own", "mine", ""), map[string]any{"adopt": true}),
			apperr.PermissionDenied},
		"with another context": {loadOf(strings.Replace(atlasOf("own", "mine", ""), "own-more, name",
			"vault-more, name", 1), nil), apperr.Validation},
	} {
		if text, err := run(shop, "load_atlases", refused.arguments); !apperr.Is(err, refused.code) ||
			strings.Contains(err.Error(), "atlas vault") {
			t.Errorf(`%s: got %s %v, want %s, error without "atlas vault"`, name, text, err, refused.code)
		}
	}
	must(shop, "load_atlases", loadOf(atlasOf("own", "mine", ""), nil))
	for {
		event, _, err := subscription.Next(t.Context())
		graphtest.OK(t, err)
		text, _ := event.JSON()
		if event.Change != nil && (strings.Contains(string(text), "zebra") ||
			strings.HasPrefix(event.Change.Name, "vault")) {
			t.Errorf("an event reveals the atlas: %s", text)
		}
		if event.Change != nil && event.Change.Name == "own" {
			break
		}
	}

	exported := must(root, "export_atlas", map[string]any{"atlas_id": "given"})
	graphtest.Equal(t, strings.Count(exported, "project: "), 1, fmt.Sprint("projects named in ", exported))
	must(root, "load_atlases", loadOf(atlasOf("given", "zebra", `project: "",`), nil))
	graphtest.Contains(t, must(bank, "cra_list_atlases", nil), `"given"`)
}

// TestAtlas_WithoutProject_KeepsItsVersion checks that atlases without a project keep their hashes.
func TestAtlas_WithoutProject_KeepsItsVersion(t *testing.T) {
	_, env := toolstest.Open(t)
	o, _ := tools.Find(tools.Catalog, "load_atlases")
	reply, _ := json.Marshal(loadOf(atlasOf("public", "plain", ""), nil))
	graphtest.Must(o.Run(t.Context(), env, reply))(t)
	for name, want := range map[string]string{"atlas public": "2a26922b8925ebfcc6614f7bf32f42d86d01664079ad9b8c0fbaf84d025303e4", "context public-rules": "42960f765b81b96f67a475956922df29286406091915f8811037abdddd9dbc27"} {
		kind, id, _ := strings.Cut(name, " ")
		graphtest.Equal(t, toolstest.History(t, env, kind, id)[0].To, want, name+": version")
	}
}
