package tools_test

import (
	"context"
	"encoding/json"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func findTools(t *testing.T, ctx context.Context, query string) []tools.FoundTool {
	t.Helper()
	o, _ := tools.Find(tools.Catalog, "find_tools")
	arguments := graphtest.Must(json.Marshal(map[string]any{"query": query}))(t)
	out := graphtest.Must(o.Run(ctx, toolstest.App(t, toolstest.Unavailable(t)), arguments))(t)
	return out.(tools.FoundTools).Tools
}

func TestFindTools_WordsOfAJob_RankItsOperationFirst(t *testing.T) {
	ctx := caller.With(t.Context(), caller.Local("ada"))
	for query, want := range map[string]string{
		"change a threshold":            "set_threshold",
		"approve an action":             "approve_request",
		"reset a circuit breaker":       "reset_circuit",
		"evaluating decision tables":    "evaluate_table",
		"rotate the token":              "rotate_token",
		"list_breakers":                 "list_breakers",
		"recall what was said before":   "recall",
		"loading atlases":               "load_atlases",
		"explain why a verdict denied":  "explain_verdict",
		"verify the chain of the trace": "verify_trace",
	} {
		if found := findTools(t, ctx, query); len(found) == 0 || found[0].Name != want {
			t.Errorf("%q: got %+v, want %s first", query, found, want)
		}
	}
	if found := findTools(t, ctx, "zzyzx"); found == nil || len(found) != 0 {
		t.Errorf("a word that no operation has: got %+v, want an empty list", found)
	}
}

func TestFindTools_AnOperationThatIsNotServed_HasACommandInstead(t *testing.T) {
	served := graphtest.Must(tools.Select(tools.Catalog, []string{"default"}))(t)
	ctx := tools.WithServed(caller.With(t.Context(), caller.Local("ada")), served)
	for query, want := range map[string]tools.FoundTool{
		"list_breakers": {Name: "list_breakers", Callable: true},
		"set_threshold": {Name: "set_threshold", Command: "nomograph threshold set NAME VALUE"},
	} {
		found := findTools(t, ctx, query)[0]
		if found.Name != want.Name || found.Callable != want.Callable || found.Command != want.Command ||
			(found.Arguments != "") != want.Callable || found.Summary == "" {
			t.Errorf("%s: got %+v, want %+v", query, found, want)
		}
	}
	// A caller over the network finds what its token permits.
	reader := caller.With(ctx, caller.Caller{Name: "ada", Authenticated: true,
		Permissions: []caller.Permission{caller.Read}})
	for _, found := range findTools(t, reader, "set_threshold") {
		if found.Name == "set_threshold" {
			t.Errorf("a reader finds %+v", found)
		}
	}
}
