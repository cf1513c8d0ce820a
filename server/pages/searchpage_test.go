package pages_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// cached records decisions about caching and other subjects, a policy, a threshold and a verdict.
func (s *site) cached(t *testing.T) (id string) {
	t.Helper()
	record := func(text, agent, lesson string) string {
		made := toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.8, Category: "architecture",
			Stakes: "high", ExtraFields: decisions.ExtraFields{AgentID: agent, Project: "acme/shop",
				Context: "The product pages took two seconds.",
				Reasons: []decisions.Reason{{Type: "analysis", Text: lesson}}}})
		return made.ID
	}
	id = record("Cache rendered product pages in Redis for five minutes", "ada", "Most visitors read the same pages")
	toolstest.Review(t, s.env, id, "failure")
	toolstest.Review(t, s.env, record("Keep session caches on each web server", "grace",
		"A lookup takes a millisecond"), "success")
	record("Send invoices by mail on the first of each month", "ada", "Accounting asks for it")
	s.graph.Exec(t, `CREATE (p:SYS_Policy {name: 'no-unbounded-cache', active: true, severity: 'block', message: 'A cache needs a limit', applies_when: 'action.name == "cache.create"', requires: 'false'})-[:USES_THRESHOLD]->
		(:SYS_Threshold {name: 'cache_max_age', value: 300, unit: 'seconds', rationale: 'Prices change every five minutes'})`, nil)
	graphtest.Must(s.env.History.Sync(t.Context()))(t)
	graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Create a cache without a limit", Name: "cache.create", AgentID: "ada",
			Project: "acme/shop", By: "ada"}))(t)
	return id
}

// TestSearchPage_Caching_IsFoundWithItsOutcome finds what was decided about caching, and its outcome.
func TestSearchPage_Caching_IsFoundWithItsOutcome(t *testing.T) {
	s := open(t)
	id := s.cached(t)
	b := s.browse(t)
	began := time.Now()
	b.to("/policies")
	b.do(chromedp.KeyEvent("/"))
	if !eval[bool](b, `document.activeElement.matches("#palette[open] #command")`) {
		t.Fatal("the key / does not open the palette")
	}
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(key("what did we decide about caching\r"))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
	b.holds(t, "section[aria-labelledby=kind-decision]", "Cache rendered product pages", "failure",
		"Keep session caches", "word caching", "!invoices")
	for kind, want := range map[string]string{"policy": "no-unbounded-cache", "threshold": "cache_max_age",
		"verdict": "Create a cache without a limit"} {
		b.holds(t, "section[aria-labelledby=kind-"+kind+"]", want)
	}
	if n := eval[int](b, `document.querySelectorAll("mark").length`); n < 4 {
		t.Errorf("%d words are marked", n)
	}
	b.follow(`.hits a[href="/decisions/` + id + `"]`)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the job took %s", took)
	}

	unrelated := toolstest.Record(t, s.env, decisions.Record{Decision: "Paint the office walls green", Confidence: 0.7,
		Category: "process", Stakes: "low", ExtraFields: decisions.ExtraFields{AgentID: "ada"}})
	toolstest.Link(t, s.env, id, "relates_to", unrelated.ID)
	toolstest.WaitForWorkers(t, s.graph)
	b.to("/search?q=caching&kind=decision")
	if why := b.text(`.hits li:has(a[href="/decisions/` + unrelated.ID + `"]) p:last-of-type`); !strings.HasPrefix(why,
		"Linked to a better result") || strings.Contains(why, "meaning") {
		t.Errorf("the linked decision is found because of: %s", why)
	}

	b.to("/search?q=caching")
	b.accessible()
	b.accessible()
	eval[string](b, `(() => { const field = document.getElementById("outcome"); field.value = "success"; field.dispatchEvent(new Event("input", {bubbles: true})); return ""; })()`)
	b.until(`location.search.includes("outcome=success") && "done" in document.body.dataset`)
	b.holds(t, "#results", "Keep session caches", "!Cache rendered", "!no-unbounded-cache")
	b.fill("#saved-name", "Caches that worked")
	b.do(key("\r"))
	b.to("/search")
	b.holds(t, "#saved", "Caches that worked")
	b.follow("#saved a")
	graphtest.Contains(t, eval[string](b, "location.search"), "q=caching",
		"outcome=success")

	b.accessible()
	b.click("#saved button")
	b.until(`document.getElementById("saved-searches").hidden`)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(2))) // Ctrl
	b.until(`document.querySelector("#offers [aria-selected=true]")?.innerText.includes("Change a threshold")`)
	b.accessible()
	b.do(key("cache_max"))
	b.until(`document.querySelector("#offers li:nth-child(2)")?.innerText.includes("cache_max_age")`)
	b.do(key("\u0301")) // down
	is(b, `document.getElementById(document.getElementById("command").getAttribute("aria-activedescendant")).dataset.to`, "/threshold?name=cache_max_age")
	b.do(key("\u001b")) // Esc
	b.until(`!document.getElementById("palette").open`)
	b.do(chromedp.EmulateViewport(390, 844))
	b.to("/search?q=caching")
	is(b, widerThanScreen, "")
	b.accessible()
	b.quiet()
}

// TestPalette_Texts_SuggestPagesNodesAndActions compares the first suggestions of a person who may change rules and of
// a visitor who may only read.
func TestPalette_Texts_SuggestPagesNodesAndActions(t *testing.T) {
	s := open(t)
	id := s.cached(t)
	ada := s.client(t)
	s.as(t, ada, "GET", s.invited("/more"), "")
	long := "/search?q=" + strings.Repeat("x", 900)
	rows := append(golden.Rows(t, "testdata/palette.txt"), []string{"", "/policies?view=thresholds", "/"},
		[]string{strings.Repeat("x", 900), long, long})
	for _, row := range rows {
		text := strings.ReplaceAll(row[0], "ID", id)
		for i, client := range []*http.Client{ada, s.client(t)} {
			status, _, page := s.as(t, client, "GET", s.url+"/search/suggest?"+url.Values{"q": {text}}.Encode(), "")
			first := ""
			if found := regexp.MustCompile(`data-to="([^"]*)"`).FindStringSubmatch(page); found != nil {
				first = strings.ToLower(html.UnescapeString(found[1]))
			}
			if status != 200 || first != strings.ReplaceAll(row[1+i], "ID", id) {
				t.Errorf("%q, reader %d: got %d %s, want %s in %.300s", text, i, status, first, row[1+i], page)
			}
		}
	}
}

// TestSearchPage_Hits_AreReadTogether: the number of statements does not depend on the number of hits.
func TestSearchPage_Hits_AreReadTogether(t *testing.T) {
	s := open(t)
	s.cached(t)
	observed, statements := toolstest.Observe(t, s.graph)
	s = serve(t, s.graph, toolstest.App(t, observed), nil)
	statements.Take()
	s.shows(t, "/search?q=decide+about+cache", "/policy?name=no-unbounded-cache", "/threshold?name=cache_max_age",
		"/decisions/")
	sent := statements.Take()
	read := slices.DeleteFunc(slices.Clone(sent), func(name string) bool {
		return !strings.HasSuffix(name, "_details") && !strings.HasSuffix(name, "_by_name")
	})
	if want := []string{"decisions/precedents/decisions_details"}; !slices.Equal(read, want) {
		t.Errorf("hits are read by %v, want %v; all statements: %v", read, want, sent)
	}
}

// TestSearchPage_NewSearch_EndsTheEarlier delays the answer to a first search until a second one starts.
func TestSearchPage_NewSearch_EndsTheEarlier(t *testing.T) {
	s := open(t)
	s.cached(t)
	b := s.browse(t)
	b.to("/search?q=caching")
	eval[string](b, `(() => {
		const real = window.fetch;
		window.asked = [];
		window.fetch = (to, options) => {
			window.asked.push(options?.signal);
			return window.asked.length > 1 ? real(to, options) : new Promise((_, reject) => options?.signal?.addEventListener("abort", () => reject(options.signal.reason)));
		};
		return "";
	})()`)
	choose := func(outcome string) {
		eval[string](b, `(() => { const field = document.getElementById("outcome"); field.value = "`+outcome+
			`"; field.dispatchEvent(new Event("input", {bubbles: true})); return ""; })()`)
	}
	choose("failure")
	b.until(`window.asked.length === 1`)
	choose("success")
	b.until(`window.asked.length === 2 && "done" in document.body.dataset`)
	is(b, `window.asked.map((signal) => signal?.aborted).join()`, "true,false")
	if shown := b.text("#results"); !strings.Contains(shown, "Keep session caches") ||
		strings.Contains(shown, "does not respond") ||
		eval[bool](b, `document.getElementById("results").hasAttribute("aria-busy")`) {
		t.Errorf("the results are %s", shown)
	}
	b.quiet()
}

// TestVerdictsPage_Denials_AreDrawnByDay compares the chart above all verdicts and above filtered ones.
func TestVerdictsPage_Denials_AreDrawnByDay(t *testing.T) {
	s := open(t)
	s.cached(t)
	for path, want := range map[string]int{"/verdicts": 1, "/verdicts?agent_id=ada": 0} {
		_, _, page := s.get(t, path)
		if n := strings.Count(page, `<rect class="failure"`); n != want ||
			strings.Contains(page, time.Now().UTC().Format(time.DateOnly)+": denied 1</title>") != (want == 1) {
			t.Errorf("%s: got %d bars, want %d: %s", path, n, want, page)
		}
	}
}

func TestSearchPage_WithoutScripts_FiltersAndExports(t *testing.T) {
	s := open(t)
	s.answers(t, "/search?q=caching&date_after=yesterdayy", 400, "yesterdayy")
	id := s.cached(t)
	for _, row := range golden.Rows(t, "testdata/searches.txt") {
		query := strings.ReplaceAll(row[0], "ID", id)
		status, _, page := s.get(t, "/search?"+query)
		_, text, _ := strings.Cut(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(page), "<main")
		graphtest.Equal(t, status, 200, query+": "+page)
		look(t, query, strings.ToLower(text), strings.Split(strings.ToLower(row[1]), " ;; "))
	}
	s.env.UpdateMemory(t.Context())
	s.graph.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
	for query, want := range map[string]bool{"kind=conversation&": true,
		"": false} { // the decision itself is listed only among all kinds
		var rows []struct{ Kind, Title, Path string }
		_, _, text := s.get(t, "/search/export?format=json&"+query+"q=caching+product+pages+in+Redis")
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			t.Fatal(err, text)
		}
		if got := slices.ContainsFunc(rows, func(r struct{ Kind, Title, Path string }) bool { // by its title, not as "Decision"
			return r.Kind == "conversation" && strings.HasPrefix(r.Title, "Cach") &&
				strings.HasPrefix(r.Path, "/decisions/")
		}); got != want {
			t.Errorf("%s: a fact of a decision is listed: got %v, want %v: %s", query, got, want, text)
		}
	}
	toolstest.Record(t, s.env, decisions.Record{Decision: "=HYPERLINK(\"http://evil.example\") caches",
		Confidence: 0.5})
	_, _, text := s.get(t, "/search/export?"+url.Values{"format": {"csv"}, "q": {"HYPERLINK evil"}}.Encode())
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 || rows[1][2][:2] != "'=" {
		t.Errorf("a formula is in the file: %v %v", err, rows)
	}
	for _, path := range []string{"/search/export?format=exe&q=a", "/search?kind=none",
		"/search?q=cache&date_after=tomorrowish"} {
		if status, _, page := s.get(t, path); status >= 500 || status == 200 && !strings.Contains(path, "tomorrowish") {
			t.Errorf(`%s: got %d %s, want status less than 500, not status == 200 && !strings.Contains(path, "tomorrowish")`, path, status, page)
		}
	}
}

func TestAgentPage_Outcomes_ShowTrustByCategory(t *testing.T) {
	s := open(t)
	for i := range 24 {
		category, outcome := "architecture", "success"
		if i%2 == 1 {
			category = "security"
			if i%3 > 0 {
				outcome = "failure"
			}
		}
		made := toolstest.Record(t, s.env, decisions.Record{Decision: "Ship step " + string(rune('a'+i)),
			Confidence: 0.9, Category: category, Stakes: []string{"low", "high"}[i%2],
			ExtraFields: decisions.ExtraFields{AgentID: "ada", Project: "acme/shop"}})
		toolstest.Review(t, s.env, made.ID, outcome)
	}
	for i := range 6 { // too few reviews: the interval contains the confidence
		made := toolstest.Record(t, s.env, decisions.Record{Decision: "Write tool " + string(rune('a'+i)),
			Confidence: 0.8, Category: "tooling", ExtraFields: decisions.ExtraFields{AgentID: "ada",
				Project: "acme/shop"}})
		toolstest.Review(t, s.env, made.ID, []string{"success", "success", "failure"}[i%3])
	}
	s.graph.Exec(t, `CREATE (:SYS_Policy {name: 'never', active: true, severity: 'block', message: 'Never', applies_when: 'action.name == "drop.table"', requires: 'false'})`, nil)
	for range 3 {
		graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: "Drop it", Name: "drop.table", AgentID: "ada", Project: "acme/shop",
				By: "ada"}))(t)
	}
	b := s.browse(t)
	b.to("/search?q=ada")
	b.follow(`.hits a[href="/agent?name=ada"]`)
	is(b, shownAt("#trust"), "Trust it with architecture decisions and at low stakes; not with security: 8 of 12 failed, 39 to 86\u00a0%; "+
		"not with high stakes: 8 of 12 failed, 39 to 86\u00a0%.")
	for value, want := range map[string]string{"architecture": "12 of 12 76 to 100\u00a0%",
		"security": "4 of 12 14 to 61\u00a0% overconfident"} {
		row := eval[string](b, fmt.Sprintf(`Array.from(document.querySelectorAll("[aria-labelledby=by-category] tr")).find((row) => row.innerText.includes(%q)).innerText.replace(/\s*[\t\n]\s*/g, " ")`, value))
		look(t, value, row, []string{want})
	}
	is(b, `Array.from(document.querySelectorAll("svg.bar .share"), (bar) => bar.getAttribute("width")).join()`,
		"100.0,66.7,33.3,100.0,66.7,33.3")
	b.holds(t, "section[aria-labelledby=failures]", "Ship step")
	b.holds(t, "section[aria-labelledby=rules]", "never", "3")
	b.accessible()
	b.accessible()
	b.follow(`section[aria-labelledby=by-category] a[href*=security]`)
	is(b, `document.querySelectorAll("tbody tr").length`, 12)
	b.do(chromedp.EmulateViewport(390, 844))
	b.to("/project?name=acme%2Fshop")
	if wide := eval[int](b, "document.documentElement.scrollWidth"); wide > 390 ||
		b.text("h1") != "Project acme/shop" || !strings.Contains(b.text("main"), "most violated rules") {
		t.Errorf("%d wide: %s", wide, b.text("main"))
	}
	b.accessible()
	b.quiet()
	allowed, err := s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Read it", Name: "read.table", AgentID: "hook", By: "hook"})
	if err != nil || !allowed.Allowed {
		t.Fatal(allowed, err)
	}
	s.shows(t, "/agent?name=hook", `<a href="/verdicts/`+allowed.VerdictID+`">Read it</a>`)
	for path, want := range map[string]int{"/agent?name=nobody": 404, "/project?name=none": 404, "/agent": 200} {
		s.answers(t, path, want)
	}
}
