package events_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/rs/zerolog"

	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/events"
	"nomograph/server/rest"
	"nomograph/tools"
)

func TestEvents_Description_NeedsRead(t *testing.T) {
	var who caller.Caller
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(), Settle: func(*http.Request) (caller.Caller, error) { return who, nil }})
	rest.New(tools.Runner{}, rest.Options{Version: "test", Operations: tools.Catalog, Beside: []rest.OtherRoute{events.Described()}}).Serve(s)
	h := httptest.NewServer(s.Handler())
	defer h.Close()
	for permission, seen := range map[caller.Permission]bool{caller.Read: true, caller.Decide: false} {
		who = caller.Caller{Name: "ada", Authenticated: true, Permissions: []caller.Permission{permission}}
		answer, err := http.Get(h.URL + "/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		document, err := openapi3.NewLoader().LoadFromData(text)
		if err == nil {
			err = document.Validate(t.Context(), openapi3.EnableMultiError())
		}
		if err != nil {
			t.Errorf("with %s: %v", permission, err)
		}
		if is := document.Paths.Value(events.Path) != nil; is != seen {
			t.Errorf("with %s it is described: %v", permission, is)
		}
		for path, item := range document.Paths.Map() {
			for method, operation := range item.Operations() {
				for _, tag := range operation.Tags {
					if document.Tags.Get(tag) == nil {
						t.Errorf("%s %s has the tag %q, which the description does not list", method, path, tag)
					}
				}
			}
		}
		if seen && !strings.Contains(string(text), `"Last-Event-ID"`) {
			t.Error("that it can be resumed is not said")
		}
	}
}
