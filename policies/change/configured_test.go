package change_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

const configuredPack = `pack: theirs
version: 1.0.0
policies:
  - {name: no-high-stakes-low-confidence, active: true, requires: "false", severity: block, mode: enforce, message: Theirs}
  - {name: new, active: true, requires: "false", severity: block, mode: enforce, message: New}
`

func configuredRequest(text string) change.ApplyRequest {
	return change.ApplyRequest{Packs: toolstest.Packs(text), By: "server"}
}

func TestApplyConfigured_NameShippedByCore_IsAdoptedFromTheFile(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'}) SET p.note_of_ours = 'read by nothing'",
		nil)
	result := graphtest.Must(env.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack)))(t)
	if got := toolstest.Actions(result); !slices.Contains(got, "adopt policies no-high-stakes-low-confidence") ||
		!slices.Contains(got, "create policies new") {
		t.Errorf(`got %v, want with "adopt policies no-high-stakes-low-confidence", with "create policies new"`, got)
	}
	rows := g.Rows(t, "MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'})<-[:OWNS]-(k) RETURN p.message AS message, p.applies_when AS applies, p.note_of_ours AS note, k.name AS pack, COUNT { (p)-[:USES_THRESHOLD]->() } AS uses", nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[applies:<nil> message:Theirs note:read by nothing pack:theirs uses:0]]")

	t.Run("again, it writes nothing", func(t *testing.T) {
		before := toolstest.Fingerprint(t, g)
		db, sent := toolstest.Observe(t, g)
		again := toolstest.App(t, db)
		result, err := again.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack))
		if statements := sent.Take(); err != nil || result.Packs[0].Unchanged != 2-1 ||
			slices.Contains(statements, cypher.PackLock.Name) {
			t.Errorf("%+v %v, sent %v", result, err, statements)
		}
		golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
	})
	t.Run("an edited node stays, a deleted node is restored", func(t *testing.T) {
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'}) SET p.mode = 'shadow'", nil)
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'new'}) DETACH DELETE p", nil)
		graphtest.Must(env.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack)))(t)
		rows := g.Rows(t, "MATCH (:SYS_Pack {name: 'theirs'})-[:OWNS]->(p) RETURN p.name AS name, p.mode AS mode ORDER BY name", nil)
		golden.Equal(t, "rows", fmt.Sprint(rows), "[map[mode:enforce name:new] map[mode:shadow name:no-high-stakes-low-confidence]]")
	})
	t.Run("core, applied again by a person, and then the file", func(t *testing.T) {
		toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}},
			ApplyOptions: change.ApplyOptions{Adopt: true, Overwrite: true}})
		graphtest.Must(env.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack)))(t)
		golden.Equal(t, "rows", fmt.Sprint(g.Rows(t,
			"MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'}) RETURN p.message AS message",
			nil)), "[map[message:Theirs]]")
	})
}

func TestApplyConfigured_EqualRuleOfAnotherPack_StaysInThatPack(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, strings.Replace(configuredPack, "theirs", "ours",
		1))
	for range 2 {
		graphtest.Must(env.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack)))(t)
		if rows := g.Rows(t, "MATCH (:SYS_Pack {name: 'ours'})-[:OWNS]->(p) RETURN p.name AS name",
			nil); len(rows) != 2 {
			t.Errorf("got %v, want two policies of the pack ours", rows)
		}
	}
	_, err := env.Change.ApplyConfigured(t.Context(),
		configuredRequest(strings.Replace(configuredPack, "message: New", "message: Newer", 1)))
	golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Conflict).Message,
		"SYS_Policy 'new' (of the pack 'ours')")
}

func TestApplyConfigured_EditedRuleOfCore_IsAConflict(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'no-high-stakes-low-confidence'}) SET p.severity = 'warn'", nil)
	before := toolstest.Fingerprint(t, g)
	_, err := env.Change.ApplyConfigured(t.Context(), configuredRequest(configuredPack))
	if got := toolstest.ErrorWithCode(t, err, apperr.Conflict); !strings.Contains(got.Message,
		"'no-high-stakes-low-confidence' (of the pack 'core')") || !strings.Contains(got.Hint, "`overwrite`") {
		t.Error(got)
	}
	golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
}

func TestApplyConfigured_ConcurrentServers_AgreeOnOneState(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyShipped(t, g, "core")
	succeeded, errs := toolstest.Concurrently(4, func(int) error {
		_, err := env.Change.ApplyConfigured(context.WithoutCancel(t.Context()), configuredRequest(configuredPack))
		return err
	})
	if succeeded != 4 {
		t.Fatalf("%d of 4: %v", succeeded, errs)
	}
	golden.Equal(t, "owned policies", toolstest.Count(t, g,
		"MATCH (:SYS_Pack {name: 'theirs'})-[:OWNS]->(p:SYS_Policy) RETURN count(*)"), 2)
}

func TestFirstStart_ConfiguredRules_WinOverCore(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.OK(t, env.Change.FirstStart(t.Context(), toolstest.Packs(configuredPack), "nomograph"))
	rows := g.Rows(t, "MATCH (k:SYS_Pack)-[:OWNS]->(p:SYS_Policy) WHERE p.name IN ['new', 'no-high-stakes-low-confidence', 'no-force-push-to-main'] RETURN p.name AS name, k.name AS pack, p.message STARTS WITH 'Theirs' AS theirs ORDER BY name", nil)
	golden.Equal(t, "rows", fmt.Sprint(rows), "[map[name:new pack:theirs theirs:false] map[name:no-force-push-to-main pack:core theirs:false] map[name:no-high-stakes-low-confidence pack:theirs theirs:true]]")
	golden.Equal(t, "unchanged", graphtest.Must(env.Change.ApplyConfigured(t.Context(),
		configuredRequest(configuredPack)))(t).Packs[0].Unchanged, 2)
}
