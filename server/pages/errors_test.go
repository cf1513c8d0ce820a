package pages_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/server/pages"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestPages_HangingDatabase_SkipPendingCount opens an unknown address, and a page that reads nothing, while the
// database accepts connections and never answers.
func TestPages_HangingDatabase_SkipPendingCount(t *testing.T) {
	defer pages.WithCountWait(time.Millisecond)()
	silent, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
		if len(errs) != visit.reads {
			t.Errorf("%v: %d reads", visit, len(errs))
		}
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
	for _, failing := range []struct {
		at     *site
		path   string
		status int
		title  string
		has    []string // texts besides the heading
	}{
		{s, "/decisions?min_confidence=much&category=architecture", 400, "Minimum confidence must be a number",
			[]string{`value="architecture" selected`, "Correct the value"}},
		{s, "/decisions?stakes=huge", 400, "Stakes has the unknown value &#39;huge&#39;",
			[]string{`id="min_confidence"`}},
		{s, "/verdicts?date_after=soon&rule=no-deploy", 400, "Since is &#39;soon&#39;, not a time",
			[]string{`value="no-deploy"`, `value="soon"`, "Use 2026-01-31"}},
		{s, "/search?q=cache&date_before=soon", 400, "Until is &#39;soon&#39;, not a time", []string{`value="cache"`}},
		{s, "/audit?date_after=soon", 400, "Since is &#39;soon&#39;, not a time", []string{`value="soon"`}},
		{s, "/calibration?window=5d&agent_id=bot", 400, "Unknown window &#39;5d&#39;",
			[]string{`value="bot"`, "Use 30d"}},
		{s, "/report?date_after=soon&rule=no-deploy", 400, "Since is &#39;soon&#39;, not a time",
			[]string{`value="no-deploy"`}},
		{s, "/replay?threshold=once&value=much&agent_id=bot", 400,
			"Threshold &#39;once&#39; holds a number, and the new value is a string",
			[]string{`value="much"`, `value="bot"`}},
		{s, "/impact?threshold=once&to=much", 400, "Threshold &#39;once&#39; holds a number, and the new value is a string", []string{`name="name" value="once"`, `value="much"`, `<a href="/policies?view=thresholds">Thresholds</a>`}},
		{s, "/impact?policy=no-deploy&mode=loud", 400, "Mode must be one of enforce, shadow, off",
			[]string{`name="name" value="no-deploy"`, `<a href="/policies">Policies</a>`}},
		{s, "/policy?name=no-deploy&from=nonsense", 400, "&#39;nonsense&#39; is neither a time nor a hash",
			[]string{`name="name" value="no-deploy"`, `value="nonsense"`}},
		{s, "/threshold?name=once&from=nonsense", 400, "&#39;nonsense&#39; is neither a time nor a hash",
			[]string{`name="name" value="once"`, `value="nonsense"`}},
		{s, "/conversations?project=shop&from=soon", 400, "Since is &#39;soon&#39;, not a time",
			[]string{`value="soon"`}},
		{s, "/coverage?since=soon", 400, "Since is &#39;soon&#39;, not a time", []string{`value="soon"`}},
		{s, "/search?q=cache&kind=verdict&date_before=soon", 400, "Until is &#39;soon&#39;, not a time",
			[]string{`name="kind" value="verdict"`}},
		{s, "/verdicts?cursor=none", 400, "Invalid cursor", []string{`id="rule"`}},
		{s, "/tuning", 400, "No threshold selected", []string{`<a href="/policies?view=thresholds">Thresholds</a>`}},
		{s, "/decisions/ffffffff", 404, "Decision &#39;ffffffff&#39; not found",
			[]string{`<a href="/decisions">Decisions</a>`}},
		{s, "/nowhere", 404, "No page has the address /nowhere", []string{"Check the address"}},
		{s, "/packs/none", 404, "Pack &#39;none&#39; is not applied",
			[]string{`<a href="/policies?view=packs">Packs</a>`}},
		{s, "/tables/none", 404, "Decision table &#39;none&#39; not found",
			[]string{`<a href="/policies?view=tables">Decision tables</a>`}},
		{s, "/agent?name=nobody", 404, "No decisions or verdicts of the agent &#34;nobody&#34;",
			[]string{`<a href="/agent">Agents</a>`}},
		{s, "/threshold?name=twice", 409, "2 thresholds are called &#39;twice&#39;", nil},
		{reader, "/decisions", 403, "<code>nomograph decision list</code> needs the permission read, which &#39;ada&#39; lacks", nil},
		{away, "/decisions", 503, "No Neo4j answers at bolt://127.0.0.1:1", []string{"Try again", "unavailable, "}},
	} {
		headers := []string{"Accept", "text/html"}
		if failing.at == reader {
			headers = append(headers, "Authorization", "Bearer nmg_ada")
		}
		status, _, page := failing.at.get(t, failing.path, headers...)
		_, heading, _ := strings.Cut(page, "<h1>")
		heading, below, _ := strings.Cut(heading, "</h1>")
		if status != failing.status || strings.TrimSpace(heading) != failing.title {
			t.Errorf("%s: got %d %q, want %d %q", failing.path, status, heading, failing.status, failing.title)
		}
		for _, text := range failing.has {
			if !strings.Contains(below, text) {
				t.Errorf("%s lacks %s: %s", failing.path, text, below)
			}
		}
		if failing.at == s && strings.Contains(below, "Try again") {
			t.Errorf("%s suggests a retry, which fails again", failing.path)
		}
	}
	if status, _, page := s.get(t, "/search?q=cache&kind=none"); status != 400 ||
		!strings.Contains(page, `value="cache"`) || strings.Contains(page, `name="kind"`) {
		t.Errorf("an unknown kind: got %d with the kind in the form again, want 400 without it: %s", status, page)
	}
	b := s.browse(t)
	b.to("/decisions?min_confidence=2&q=" + url.QueryEscape("caching orders"))
	if status := eval[int](b, `performance.getEntriesByType("navigation")[0].responseStatus`); status != http.StatusBadRequest {
		t.Errorf("a confidence of 2: got %d, want status=%v", status, http.StatusBadRequest)
	}
	eval[string](b, `document.querySelector("#min_confidence").value = "0.2"`)
	b.follow(".find .find button, .sift button")
	if title := b.text("h1"); title != "Decisions" {
		t.Errorf("the corrected form leads to %q", title)
	}
	if kept := eval[string](b, `document.querySelector("#q").value`); kept != "caching orders" {
		t.Errorf("got search %q, want caching orders", kept)
	}
	needLibraries(t)
	b.to("/graph?node=" + toolstest.Some(t, s.graph, "a")["a"])
	eval[string](b, `(() => { window.fetch = async () => new Response("<h1>Invalid request</h1><div class=problem><p><strong>The whole message</strong></p></div>", {status: 400}); document.getElementById("asking").requestSubmit(); return ""; })()`)
	// the heading has only the class of a long message
	b.until(`document.querySelector("#notes [role=alert]")?.textContent === "The whole message"`)
}
