package events_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/events"
	"nomograph/server/rest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestEvents_Description_NeedsRead(t *testing.T) {
	var who caller.Caller
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(*http.Request) (caller.Caller, error) { return who, nil }})
	rest.New(tools.Runner{}, rest.Options{Version: "test", Operations: tools.Catalog,
		Beside: []rest.OtherRoute{events.Described()}}).Serve(s)
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	for permission, seen := range map[caller.Permission]bool{caller.Read: true, caller.Decide: false} {
		who = caller.Caller{Name: "ada", Authenticated: true, Permissions: []caller.Permission{permission}}
		_, _, sent := graphtest.Send(t, http.DefaultClient, http.MethodGet, h.URL+"/openapi.json", "")
		text := []byte(sent)
		toolstest.CheckOpenAPI(t, text)
		var document struct {
			Tags  []struct{ Name string }
			Paths map[string]map[string]struct{ Tags []string }
		}
		graphtest.OK(t, json.Unmarshal(text, &document))
		if _, ok := document.Paths[events.Path]; ok != seen {
			t.Errorf("with %s: got described %v", permission, ok)
		}
		for path, item := range document.Paths {
			for method, operation := range item {
				for _, tag := range operation.Tags {
					if !slices.ContainsFunc(document.Tags, func(t struct{ Name string }) bool {
						return t.Name == tag
					}) {
						t.Errorf("%s %s has the tag %q, which the description does not list", method, path, tag)
					}
				}
			}
		}
		if seen && !strings.Contains(string(text), `"Last-Event-ID"`) {
			t.Error("the description does not mention that a stream can be resumed")
		}
	}
}
