package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"nomograph/internal/caller"
	"nomograph/tools/toolstest"
)

// TestPages_Errors_SayWhatIsWrong opens pages that fail, one for each class of errors.
func TestPages_Errors_SayWhatIsWrong(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `CREATE (:SYS_Threshold {name: "twice", value: 1}), (:SYS_Threshold {name: "twice", value: 2}), (:SYS_Threshold {name: "once", value: 0.5})`, nil)
	reader := serve(t, s.graph, s.env, map[string]caller.Caller{"nmg_ada": {Name: "ada", Authenticated: true, Permissions: []caller.Permission{caller.Announce}}})
	away := serve(t, s.graph, toolstest.App(t, toolstest.Unavailable(t)), nil)
	for _, failing := range []struct {
		at     *site
		path   string
		status int
		title  string
		has    []string // besides the heading
	}{
		{s, "/decisions?min_confidence=much&category=architecture", 400, "Minimum confidence must be a number", []string{"<option selected>architecture", "Correct the value"}},
		{s, "/decisions?stakes=huge", 400, "stakes", []string{`id="min_confidence"`}},
		{s, "/verdicts?date_after=soon&rule=no-deploy", 400, "Since is &#39;soon&#39;, not a time", []string{`value="no-deploy"`, `value="soon"`, "Use 2026-01-31"}},
		{s, "/search?q=cache&date_before=soon", 400, "Until is &#39;soon&#39;, not a time", []string{`value="cache"`}},
		{s, "/audit?date_after=soon", 400, "Since is &#39;soon&#39;, not a time", []string{`value="soon"`}},
		{s, "/calibration?window=5d&agent_id=bot", 400, "Unknown window &#39;5d&#39;", []string{`value="bot"`, "Use 30d"}},
		{s, "/report?date_after=soon&rule=no-deploy", 400, "Since is &#39;soon&#39;, not a time", []string{`value="no-deploy"`}},
		{s, "/replay?threshold=once&value=much&agent_id=bot", 400, "once", []string{`value="much"`, `value="bot"`}},
		{s, "/verdicts?cursor=none", 400, "Invalid cursor", []string{`id="rule"`}},
		{s, "/tuning", 400, "No threshold selected", []string{`<a href="/thresholds">Thresholds</a>`}},
		{s, "/decisions/ffffffff", 404, "Decision &#39;ffffffff&#39; not found", []string{`<a href="/decisions">Decisions</a>`}},
		{s, "/nowhere", 404, "/nowhere not found", []string{"Check the address"}},
		{s, "/threshold?name=twice", 409, "twice", nil},
		{reader, "/decisions", 403, "permission", nil},
		{away, "/decisions", 503, "", []string{"Try again", "unavailable, "}},
	} {
		headers := []string{"Accept", "text/html"}
		if failing.at == reader {
			headers = append(headers, "Authorization", "Bearer nmg_ada")
		}
		status, _, page := failing.at.get(t, failing.path, headers...)
		_, heading, _ := strings.Cut(page, "<h1>")
		heading, below, _ := strings.Cut(heading, "</h1>")
		if status != failing.status || !strings.Contains(heading, failing.title) || strings.TrimSpace(heading) == "" {
			t.Errorf("%s: got %d %q, want %d %q", failing.path, status, heading, failing.status, failing.title)
		}
		for _, text := range failing.has {
			if !strings.Contains(below, text) {
				t.Errorf("%s lacks %s: %s", failing.path, text, below)
			}
		}
		if failing.at == s && strings.Contains(below, "Try again") {
			t.Errorf("%s suggests to try again, which fails again", failing.path)
		}
	}
	b := s.browse(t)
	b.to("/decisions?min_confidence=2&q=" + url.QueryEscape("caching orders"))
	if status := eval[int](b, `performance.getEntriesByType("navigation")[0].responseStatus`); status != http.StatusBadRequest {
		t.Errorf("a confidence of 2 is answered with %d", status)
	}
	eval[string](b, `document.querySelector("#min_confidence").value = "0.2"`)
	b.follow(".find button")
	if title := b.text("h1"); title != "Decisions" {
		t.Errorf("the corrected form leads to %q", title)
	}
	if kept := eval[string](b, `document.querySelector("#q").value`); kept != "caching orders" {
		t.Errorf("the search is %q now", kept)
	}
}
