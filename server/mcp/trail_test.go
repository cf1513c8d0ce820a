package mcp_test

import (
	"encoding/json"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tokens"
	"nomograph/trace"
)

// TestTrail_LongSession_IsPagedAndReadWithQuery: a trail with more than 500 events has a next address, and a token with
// the query permission reads trails of others.
func TestTrail_LongSession_IsPagedAndReadWithQuery(t *testing.T) {
	g := graphtest.New(t)
	n := overHTTP(t, g, true)
	events := make([]trace.Event, 600)
	for i := range events {
		events[i] = trace.Event{Type: "thought", Payload: map[string]any{"text": "x"}}
	}
	graphtest.Must(n.env.Trace.Append(t.Context(), trace.SessionSelector{Agent: "ada", SessionID: "long"},
		events...))(t)
	token := func(name string, permissions ...string) string {
		made := graphtest.Must(n.env.Tokens.Create(t.Context(),
			tokens.CreateRequest{Name: name, Permissions: permissions}))(t)
		return made.Token
	}
	read := func(token, uri string) map[string]any {
		t.Helper()
		_, _, reply := connectHTTP(t, modern, "x", token, n).send("resources/read", map[string]any{"uri": uri})
		result, ok := reply["result"].(map[string]any)
		if !ok {
			return nil
		}
		var page map[string]any
		graphtest.OK(t, json.Unmarshal([]byte(result["contents"].([]any)[0].(map[string]any)["text"].(string)),
			&page))
		return page
	}
	ada := token("ada", "read", "decide")
	for name, token := range map[string]string{"its own agent": ada, "query": token("auditor", "read", "query")} {
		seen, pages := 0, 0
		for uri := "cra://trace/long"; uri != ""; pages++ {
			page := read(token, uri)
			if page == nil {
				t.Fatalf("%s: %s cannot be read", name, uri)
			}
			list, _ := page["events"].([]any)
			seen += len(list)
			uri, _ = page["next_uri"].(string)
		}
		if seen != 600 || pages != 2 {
			t.Errorf("%s: got %d events on %d pages, want 600 on 2", name, seen, pages)
		}
	}
	if page := read(token("eve", "read", "decide"), "cra://trace/long"); page != nil {
		t.Errorf("without query: %v", page)
	}

	// The first call waits until startup data is loaded.
	loading := make(chan struct{})
	n.env.Loading = loading
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		_, _ = connectHTTP(t, modern, "x", ada, n).call("cra_list_atlases", map[string]any{})
	}()
	graphtest.Until(t, "the call waits for the atlases",
		func() bool { return graphtest.Running("tools.Runner.Run(") > graphtest.Running("tools.Operation.Run(") })
	close(loading)
	graphtest.Receive(t, "the call is answered", answered)
}
