package pages_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server/pages"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestPages_HangingDatabase_SkipPendingCount opens an unknown address, and a page that reads nothing, while the
// database accepts connections and never answers.
func TestPages_HangingDatabase_SkipPendingCount(t *testing.T) {
	defer pages.WithCountWait(time.Millisecond)()
	silent := graphtest.Must((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer silent.Close()
	db := graph.Open(graph.Options{URI: "bolt://" + silent.Addr().String(), Username: "neo4j", Password: "none",
		Database: "neo4j"})
	defer db.Close(context.WithoutCancel(t.Context()))
	env := toolstest.App(t, db)
	errs := make(chan error, 10)
	env.Watches = append(env.Watches, func(ctx context.Context, _ tools.Operation) (context.Context, func(any, error)) {
		return ctx, func(_ any, err error) { errs <- err }
	})
	s := serve(t, nil, env, nil)
	for _, visit := range []struct {
		path, accepts string
		status, reads int
	}{{"/nowhere", "text/html", 404, 3}, {"/nowhere", "*/*", 404, 0}, {"/styleguide", "text/html", 200, 3}} {
		if status, _, page := s.get(t, visit.path, "Accept", visit.accepts); status != visit.status {
			t.Errorf("%v: got %d %s, want status=%v", visit, status, page, visit.status)
		}
		graphtest.Equal(t, len(errs), visit.reads, fmt.Sprint(visit, ": reads"))
		for len(errs) > 0 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("a read ended with %v, want that it was canceled", err)
			}
		}
	}
}

// TestPages_Errors_SayWhatIsWrong opens pages that fail, one for each class of errors.
func TestPages_Errors_SayWhatIsWrong(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `CREATE (:SYS_Threshold {name: "twice", value: 1}), (:SYS_Threshold {name: "twice", value: 2}), (:SYS_Threshold {name: "once", value: 0.5}), (:SYS_Policy {name: "no-deploy", active: true})`, nil)
	reader := serve(t, s.graph, s.env, map[string]caller.Caller{"nmg_ada": {Name: "ada", Authenticated: true,
		Permissions: []caller.Permission{caller.Announce}}})
	away := serve(t, s.graph, toolstest.App(t, toolstest.Unavailable(t)), nil)
	sites := map[string]*site{"all": s, "reader": reader, "away": away}
	for _, row := range golden.Rows(t, "testdata/errors.txt") {
		at, path, want := sites[row[0]], row[1], row[2]+" "+row[3]
		headers := []string{"Accept", "text/html"}
		if at == reader {
			headers = append(headers, "Authorization", "Bearer nmg_ada")
		}
		status, _, page := at.get(t, path, headers...)
		_, heading, _ := strings.Cut(page, "<h1>")
		heading, below, _ := strings.Cut(heading, "</h1>")
		graphtest.Equal(t, fmt.Sprint(status, " ", strings.TrimSpace(heading)), want, path)
		look(t, path, below, strings.Split(row[4], " ;; "))
		if at == s { // a retry fails again
			look(t, path, below, []string{"!Try again"})
		}
	}
	s.answers(t, "/search?q=cache&kind=none", 400, `value="cache"`, `!name="kind"`)
	b := s.browse(t)
	b.to("/decisions?min_confidence=2&q=" + url.QueryEscape("caching orders"))
	is(b, `performance.getEntriesByType("navigation")[0].responseStatus`, http.StatusBadRequest)
	eval[string](b, `document.querySelector("#min_confidence").value = "0.2"`)
	b.follow(".find .find button, .sift button")
	is(b, shownAt("h1"), "Decisions")
	is(b, `document.querySelector("#q").value`, "caching orders")
	needLibraries(t)
	b.to("/graph?node=" + toolstest.Some(t, s.graph, "a")["a"])
	eval[string](b, `(() => { window.fetch = async () => new Response("<h1>Invalid request</h1><div class=problem><p><strong>The whole message</strong></p></div>", {status: 400}); document.getElementById("asking").requestSubmit(); return ""; })()`)
	// the heading has only the class of a long message
	b.until(`document.querySelector("#notes [role=alert]")?.textContent === "The whole message"`)
}
