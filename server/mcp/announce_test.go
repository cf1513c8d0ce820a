package mcp_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/tools"
)

const listChanged = "notifications/tools/list_changed"

func listedTools(m graphtest.Message) (names []string) {
	for _, tool := range m.Result["tools"].([]any) {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	return names
}

// importElsewhere commits the writes of a conversation import by another process.
func importElsewhere(t *testing.T, g *graphtest.Graph) {
	g.Exec(t, "CREATE (:Session {uid: 'imported', id: 'imported', source: 'claude-code', external_id: 'one', kind: 'imported'})", nil)
}

func loadElsewhere(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	folder := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "refunds.yaml"), []byte(refundsAtlas), 0o600))
	if _, reply, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "atlas", "load", folder); code != 0 {
		t.Fatal(reply)
	}
}

func TestToolsList_OverStdio_GrowsAndIsAnnounced(t *testing.T) {
	g := graphtest.New(t)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	m := c.Initialize("2025-06-18")
	if capability, _ := m.Result["capabilities"].(map[string]any)["tools"].(map[string]any); capability["listChanged"] != true {
		t.Errorf("got capabilities %v, want listChanged", m.Result["capabilities"])
	}
	if names := listedTools(c.Request("tools/list", nil)); len(names) != defaultTools {
		t.Errorf("got %d tools, want %d: %v", len(names), defaultTools, names)
	}
	// Unlisted tools of served toolsets can be called. Tools of other toolsets cannot.
	for _, name := range []string{"list_breakers", "list-projects", "cra_list_atlases"} {
		if m := c.Request("tools/call", map[string]any{"name": name, "arguments": map[string]any{}}); m.Error != nil ||
			m.Result["isError"] == true {
			t.Errorf("%s: got %+v, want Error=nil, isError other than true", name, m)
		}
	}
	for _, name := range []string{"set_threshold", "approve_request", "reset_circuit", "create_token",
		"import_sessions"} {
		if m := c.Request("tools/call", map[string]any{"name": name, "arguments": map[string]any{}}); m.Error == nil ||
			m.Error.Code != -32602 {
			t.Errorf("%s: got %+v, want the error of an unknown tool", name, m)
		}
	}
	found, failed := c.Call("find_tools", map[string]any{"query": "change a threshold"})
	first, _ := found["tools"].([]any)[0].(map[string]any)
	if failed || first["name"] != "set_threshold" || first["callable"] != false ||
		!strings.HasPrefix(first["command"].(string), "nomograph threshold set") {
		t.Errorf(`find_tools: got %v, want failed=false, name=set_threshold, callable=false, command that starts with "nomograph threshold set"`, found)
	}

	importElsewhere(t, g)
	notification(t, c, listChanged)
	if names := listedTools(c.Request("tools/list", nil)); !slices.Contains(names, "recall") ||
		slices.Contains(names, "cra_start_session") || slices.Contains(names, "list_breakers") {
		t.Errorf("after an import: got %v, want names with recall, names without cra_start_session, names without list_breakers", names)
	}
	loadElsewhere(t, g)
	notification(t, c, listChanged)
	if names := listedTools(c.Request("tools/list", nil)); !slices.Contains(names, "recall") ||
		!slices.Contains(names, "cra_start_session") {
		t.Errorf("after an atlas: got %v, want names with recall, names with cra_start_session", names)
	}
}

func TestToolsList_RightAfterTheStart_IsDecided(t *testing.T) {
	g := graphtest.New(t)
	importElsewhere(t, g)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	first := listedTools(c.Request("tools/list", nil))
	if !slices.Contains(first, "recall") || slices.Contains(first, "cra_start_session") {
		t.Errorf("got %v, want names with recall, names without cra_start_session", first)
	}
	if again := listedTools(c.Request("tools/list", nil)); !slices.Equal(first, again) {
		t.Errorf("the second list: got %v, want %v", again, first)
	}
}

func TestToolsList_OverHTTP_IsAnnouncedOnEveryStream(t *testing.T) {
	g := graphtest.New(t)
	served := graphtest.Must(tools.Select(tools.Catalog, []string{"default"}))(t)
	n := inFrontOf(t, g.DB, false, served...)
	go n.server.AnnounceTools(t.Context())
	streams := map[string]<-chan map[string]any{}
	old := connectHTTP(t, "2025-06-18", "old", "", n)
	r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, n.url, nil))(t)
	old.dress(r)
	streams["GET"] = events(t, r)
	listens := connectHTTP(t, modern, "new", "", n)
	streams["subscriptions/listen"] = events(t, listens.message("subscriptions/listen",
		map[string]any{"notifications": map[string]any{"toolsListChanged": true}}))
	nextEvent(t, streams["subscriptions/listen"], "notifications/subscriptions/acknowledged")
	if _, _, reply := old.send("tools/list", nil); len(reply["result"].(map[string]any)["tools"].([]any)) != defaultTools {
		t.Errorf("got %v, want len(tools)=%v", reply, defaultTools)
	}
	importElsewhere(t, g)
	for name, stream := range streams {
		select {
		case reply := <-stream:
			if reply["method"] != listChanged {
				t.Errorf("%s: got %v, want %s", name, reply, listChanged)
			}
		case <-time.After(timeout):
			t.Fatalf("%s: no %s", name, listChanged)
		}
	}
	if _, _, reply := listens.send("tools/list",
		nil); len(reply["result"].(map[string]any)["tools"].([]any)) <= defaultTools {
		t.Errorf("after an import: got %v, want len(tools) more than %v", reply, defaultTools)
	}
}
