package pages_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/policies/proposals"
	"nomograph/server/pages"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// linked records linked decisions: b to f depend on a, g on b, h supersedes c. a failed, b succeeded, i has no links.
func (s *site) linked(t *testing.T) map[string]string {
	t.Helper()
	id := toolstest.Some(t, s.graph, "abcdef01234")
	for _, l := range []string{"b depends_on a", "c depends_on a", "d depends_on a", "e depends_on a", "f depends_on a",
		"0 depends_on b", "1 depends_on 0", "2 depends_on 1", "3 supersedes c"} {
		word := strings.Fields(l)
		toolstest.Link(t, s.env, id[word[0]], word[1], id[word[2]])
	}
	s.graph.Exec(t, `MATCH (d:Decision) SET d.agent = CASE WHEN d.id < '4' THEN 'ada' ELSE 'bob' END, d.project = 'acme/shop', d.stakes = 'high', d.confidence = 0.5, d.tags = ['store'],
		d.created_at = datetime('2026-01-01T00:00:00Z') + duration({days: toInteger(coalesce(toIntegerOrNull(left(d.id, 1)), 9))})`, nil)
	toolstest.Review(t, s.env, id["a"], "failure")
	toolstest.Review(t, s.env, id["b"], "success")
	return id
}

// shown returns the titles in the list of the graph page, without spaces.
func (b *tab) shown() (nodes []string) {
	b.t.Helper()
	return strings.Fields(eval[string](b, `Array.from(document.querySelectorAll("#list tbody tr td:first-child"), (td) => td.textContent.trim().replaceAll(" ", "")).join(" ")`))
}

// places returns the positions of the layout by node, before the camera.
func (b *tab) places() (at map[string][2]float64) {
	b.t.Helper()
	text := eval[string](b, inNetwork+`JSON.stringify(Object.fromEntries(m.graph.mapNodes((id, { x, y }) => [id, [x, y]]))))`)
	graphtest.OK(b.t, json.Unmarshal([]byte(text), &at))
	return at
}

// inNetwork begins an expression of the module network.js, m.
const inNetwork = `import(document.querySelector("script[type=module]").src.replace("graph.js", "network.js")).then((m) => `

func TestGraphPage_InABrowser_ShowsLinkedDecisions(t *testing.T) {
	needLibraries(t)
	s := open(t)
	id := s.linked(t)
	b := s.browse(t)

	t.Run("the neighborhood is shown, and more on demand", func(t *testing.T) {
		b.t = t
		b.to("/graph?depth=1&node=" + id["a"])
		if got := b.shown(); len(got) != 6 || got[0] != "Decidea" {
			t.Fatalf("got %v, want len(got)=6, got[0]=Decidea", got)
		}
		graphtest.Contains(t, eval[string](b, `document.querySelector("#list tbody").textContent`), "+1 more")
		before := b.places()
		b.do(chromedp.Focus(chromedp.CSS("#stage")), chromedp.KeyEvent("c"))
		b.until(`location.search.includes("select=")`)
		b.settled()
		b.to("/graph?depth=1&node=" + id["a"] + "&expand=" + id["b"])
		if got := b.shown(); len(got) != 7 || !slices.Contains(got, "Decide0") {
			t.Errorf("the links of b are not shown: %v", got)
		}
		after := b.places()
		for node, at := range before {
			if dx, dy := after[node][0]-at[0], after[node][1]-at[1]; math.Hypot(dx, dy) > 100 { // of a stage of 1000
				t.Errorf("%s moved from %v to %v", node, at, after[node])
			}
		}
		b.quiet()
	})
	t.Run("keyboard only", func(t *testing.T) {
		b.t = t
		b.to("/graph?depth=1&node=" + id["a"])
		b.do(chromedp.Focus(chromedp.CSS("#stage")), chromedp.KeyEvent("\r"))
		b.until(`document.querySelector("#panel h2")?.innerText.includes("Decide a")`)
		b.holds(t, "#panel", "failure", "acme/shop", "Decide b")
		is(b, `document.querySelector("#panel a.whole").getAttribute("href")`, "/decisions/"+
			id["a"])
		chosen := eval[string](b, `new URLSearchParams(location.search).get("select")`)
		for _, arrow := range []string{"\u0302", "\u0303", "\u0301",
			"\u0304"} { // left, right, down and up in chromedp's key codes
			b.do(chromedp.KeyEvent(arrow))
		}
		b.until(`new URLSearchParams(location.search).get("select") !== "` + chosen +
			`" || document.getElementById("spoken").innerText !== ""`)
		b.do(chromedp.KeyEvent("e"))
		b.until(`location.search.includes("expand=") && "done" in document.body.dataset`)
		b.do(chromedp.KeyEvent("+"), chromedp.KeyEvent("0"))
		b.quiet()
	})
	t.Run("filters, path and lineage", func(t *testing.T) {
		b.t = t
		for _, one := range []struct {
			query string
			left  bool // a filter hides nodes, and the page says so; filtered link types hide none
			want  string
		}{
			{"outcome=success", true, "a b"}, {"agent=ADA", true, "a 0 3"}, {"until=2026-01-02", true, "a 0"},
			{"type=supersedes", false, "a"}, {"tag=none", true, "a"},
			{"depth=1&outcome=abandoned&to=" + id["2"], true, "a b 0 1 2"},
			{"depth=1&outcome=abandoned&lineage=dependents", false, "a b c d e f 0 1 2"},
		} {
			_, _, text := s.get(t, "/graph?node="+id["a"]+"&"+one.query)
			graphtest.Equal(t, strings.Contains(text, "hidden by filters"), one.left, one.query+
				": the page states what it omits")

			_, list, _ := strings.Cut(text, `id="list"`)
			var got []string
			for _, row := range regexp.MustCompile(`(?:<tr><td><a [^>]*>)Decide (\w)`).FindAllStringSubmatch(list, -1) {
				got = append(got, row[1])
			}
			want := strings.Fields(one.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s shows %v", one.query, got)
			}
		}
		b.to("/graph?node=" + id["a"] + "&show=agent&filters=1")
		if got := b.shown(); !slices.Contains(got, "agent:ada") || !slices.Contains(got, "agent:bob") {
			t.Errorf("got %v, want with agent:ada, with agent:bob", got)
		}
		eval[string](b, `document.getElementById("outcome").value = "success"`)
		b.click("#asking button")
		b.until(`location.search.includes("outcome=success") && "done" in document.body.dataset`)
		if got := b.shown(); slices.Contains(got, "Decidec") || !slices.Contains(got, "Decideb") {
			t.Errorf("the form shows %v", got)
		}
		eval[bool](b, `(history.back(), true)`)
		b.until(`!location.search.includes("outcome=success") && "done" in document.body.dataset && document.querySelectorAll("#list tbody tr").length > 3`)
		b.quiet()
	})
	t.Run("time, search and pictures", func(t *testing.T) {
		b.t = t
		b.to("/graph?node=" + id["a"])
		eval[string](b, `(() => { const time = document.getElementById("time"); time.value = 1; time.dispatchEvent(new Event("input")); return ""; })()`)
		is(b, shownAt("#time-shown"), "2026-01-01")
		b.to("/graph?node=" + id["a"])
		b.fill("#find", "Decide b")
		b.follow("#finding button")
		b.holds(t, "#found", "Decide b")
		b.to("/graph?find=" + id["e"][:5])
		is(b, shownAt("h1"), "Decide e")
		b.quiet()
		b.accessible()
	})
	t.Run("two tabs", func(t *testing.T) {
		b.t = t
		other := b.another()
		other.to("/graph?node=" + id["b"])
		b.to("/graph?node=" + id["a"])
		if other.text("h1") != "Decide b" || b.text("h1") != "Decide a" {
			t.Error("two tabs share their state")
		}
	})
	t.Run("without a script, and without WebGL", func(t *testing.T) {
		b.t = t
		status, _, text := s.get(t, "/graph?plain=1&depth=1&node="+id["a"])
		if status != 200 || strings.Count(text, `class="node `) != 6 ||
			!strings.Contains(text, `href="/graph?depth=1&amp;node=`+id["b"]) {
			t.Errorf("got %d %s, want status=200, strings.Count(text, `class=\"node `)=6, text with %q", status, text,
				`href="/graph?depth=1&amp;node=`+id["b"])
		}
		b.to("/graph?plain=1&node=" + id["a"])
		b.follow(`svg a[aria-label^="Decide b"]`)
		is(b, shownAt("h1"), "Decide b")
		b.accessible()
	})
	t.Run("a view can be saved", func(t *testing.T) {
		for format, begins := range map[string]string{"svg": "<svg ", "mermaid": "flowchart LR", "dot": "digraph",
			"json": "{"} {
			status, header, text := s.get(t, "/graph/export?node="+id["a"]+"&format="+format)
			if status != 200 || !strings.HasPrefix(text, begins) ||
				!strings.HasPrefix(header.Get("Content-Disposition"), "attachment") {
				t.Errorf("%s: got %d %v %.200s, want status=200, text that starts with %q, Content-Disposition that starts with attachment", format, status, header, text, begins)
			}
			if _, _, again := s.get(t, "/graph/export?node="+id["a"]+"&format="+format); again != text {
				t.Errorf("%s differs the second time", format)
			}
			if format == "svg" {
				if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil {
					t.Error(err)
				}
			}
		}
		s.answers(t, "/graph/export?format=exe&node="+id["a"], 400)
		for _, query := range []string{"node=ffffffff", "node=policy:none", "depth=x&limit=-1&node=" + id["a"],
			"expand=ffffffff&node=" + id["a"], "node=" + strings.Repeat("x", 500)} {
			if status, _, text := s.get(t, "/graph?"+query); status >= 500 || !strings.Contains(text, "<h1") {
				t.Errorf("%s: got %d %s, want status less than 500, text with <h1", query, status, text)
			}
		}
	})
	t.Run("a build without the libraries", func(t *testing.T) {
		defer pages.WithoutLibraries()()
		bare := serve(t, s.graph, s.env, nil)
		bare.shows(t, "/graph?node="+id["a"], "This build does not include", `<svg xmlns`, "!sigma.min.js")
		b := bare.stranger(t)
		b.to("/graph?node=" + id["a"])
		b.quiet()
	})
}

// TestPictures_Pages_AreWritten writes the screenshots of docs/. It runs only in `make pictures`.
func TestPictures_Pages_AreWritten(t *testing.T) {
	if os.Getenv("PICTURES") == "" {
		t.Skip("only `make pictures` makes them")
	}
	s := open(t)
	b := s.browse(t)
	for name, path := range s.furnished(t) {
		if !slices.Contains(pictured, name) {
			continue
		}
		b.to(path)
		b.until(`!document.querySelector("[data-later]:not([data-filled], details:not([open]) *)")`)
		b.quiet()
		if eval[int](b, `performance.getEntriesByType("navigation")[0].responseStatus`) != http.StatusOK {
			t.Fatalf("%s: got %s", name, b.text("main"))
		}
		b.picture(name, "light")
	}
}

// pictured are the pages of which docs/pictures has a picture.
var pictured = []string{"agent", "calibration", "decision", "decisions", "graph", "policy", "proposal", "search",
	"session",
	"threshold", "today", "verdict"}

// furnished fills the graph with the decision records of this repository, as `make run` does, and with a month of
// activity. It returns the URL of each page.
func (s *site) furnished(t *testing.T) map[string]string {
	t.Helper()
	imported, ok := tools.Find(tools.Catalog, "import_adr")
	if !ok {
		t.Fatal("import_adr is missing")
	}
	graphtest.Must(imported.Run(t.Context(), s.env,
		json.RawMessage(`{"path": "`+filepath.ToSlash(filepath.Join(toolstest.Root(t), "docs", "decisions"))+
			`"}`)))(t)
	s.graph.Exec(t, `MATCH (d:Decision) WITH d ORDER BY d.created_at, d.uid WITH collect(d) AS every UNWIND range(0, size(every) - 1) AS i
		WITH every[i] AS d, i, size(every) AS count SET d.created_at = datetime() - duration({days: 2 * (count - i), hours: 3}), d.agent = ['ada', 'emerson', 'grace'][i % 3],
		  d.outcome = CASE WHEN i % 7 < 4 THEN 'success' WHEN i % 7 = 4 THEN 'partial' WHEN i % 11 = 5 THEN 'failure' END`, nil)
	row := s.graph.Rows(t, `MATCH (d:Decision)--(o:Decision) RETURN d.id AS id, count(*) AS n ORDER BY n DESC, id LIMIT 1`, nil)
	id, _ := row[0]["id"].(string)
	s.lived(t)
	s.spokenOf(t)
	const rule = "no-high-stakes-low-confidence"
	denied, err := s.env.Checks.Verdicts(t.Context(), check.VerdictFilter{Rule: rule})
	if err != nil || len(denied.Verdicts) == 0 {
		t.Fatal(denied, err)
	}
	toolstest.ApplyShipped(t, s.graph, "releases")
	toolstest.Set(t, s.env, "rollout_percent_first", 25.0)
	for _, token := range []tokens.CreateRequest{{Name: "release-bot", Permissions: []string{"read", "decide"},
		Projects: []string{"acme/shop"}, Expires: "90d", By: "ada"}, {Name: "dashboard", By: "ada"}} {
		graphtest.Must(s.env.Tokens.Create(t.Context(), token))(t)
	}
	toolstest.Apply(t, s.env, change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}}})
	open := graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Set: graph.Parameters{"high_stakes_min_confidence": 0.75}},
			Project: "acme/shop", By: "grace",
			Reason: "Four of six *failures* had a confidence below 0.75.\n\n- Deploys are not affected.\n- The [replay](https://example.org) covers 30 days."}))(t)
	graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Mode: graph.Parameters{rule: "shadow"}},
			Reason: "Try it without blocking first", Draft: true, By: "ada"}))(t)
	graphtest.Must(s.env.Checks.Appeal(t.Context(),
		check.AppealRequest{ID: denied.Verdicts[0].VerdictID,
			Reason: "The store has a copy of every order, so nothing is lost.", AgentID: "grace",
			By: "grace"}))(t)
	exception := s.excepted(t, "emerson", "refund.pay", "A-1008")
	s.executed(t)
	s.remembered(t)
	return map[string]string{"proposals": "/proposals", "proposal": "/proposals/" + open.ProposalID,
		"propose": "/propose?threshold=high_stakes_min_confidence&value=0.8", "exceptions": "/exceptions",
		"exception": "/exceptions/" + exception,
		"agents":    "/agent", "project": "/project?name=acme%2Fshop", "projects": "/project",
		"autonomy": "/autonomy?agent=grace", "coverage": "/coverage", "styleguide": "/styleguide",
		"policy-impact":    "/policy?view=impact&name=" + rule,
		"threshold-impact": "/threshold?view=impact&to=0.3&name=high_stakes_min_confidence",
		"replay":           "/replay?run=1&threshold=high_stakes_min_confidence&value=0.3",
		"more":             "/more", "docs": "/docs?q=threshold", "manual": "/docs/guides/packs", "tables": "/tables",
		"table": "/tables/R1_DETERMINE_release_readiness", "packs": "/packs", "pack": "/packs/releases",
		"atlases": "/atlases", "atlas": "/atlases/chrystallum",
		"tokens": "/tokens", "audit": "/audit", "imports": "/imports", "search": "/search?q=checkout",
		"agent": "/agent?name=grace", "report": "/report",
		"impact": "/decisions/" + id + "?view=impact",
		"tuning": "/tuning?name=high_stakes_min_confidence", "breakers": "/breakers",
		"graph": "/graph?depth=2&limit=70&node=" + id + "&select=" + id, "today": "/", "decisions": "/decisions",
		"decision": "/decisions/" + id,
		"verdicts": "/verdicts", "verdict": "/verdicts/" + denied.Verdicts[0].VerdictID, "policies": "/policies",
		"policy": "/policy?name=" + rule, "thresholds": "/thresholds",
		"threshold": "/threshold?name=high_stakes_min_confidence", "calibration": "/calibration?by=agent",
		"sessions": "/sessions", "conversations": "/conversations?project=shop",
		"session": s.address(t, "session", id), "feedback": "/feedback",
		"query": "/query?" + url.Values{"q": {"MATCH (a:Decision)-[r]->(b:Decision)\nWHERE a.outcome = 'success'\nRETURN a, r, b LIMIT 40"}}.Encode()}
}

// lived records a month of activity.
func (s *site) lived(t *testing.T) {
	t.Helper()
	toolstest.ApplyShipped(t, s.graph, "core")
	for i := range 60 {
		stakes := []string{"medium", "medium", "high"}[i/9%3]
		if i%10 == 0 || i > 46 { // a third failure with high stakes would open a circuit breaker
			stakes = "low"
		}
		outcome := "success"
		if i%10 >= 6 && i%5 < 3 {
			outcome = "failure"
		}
		made := toolstest.Record(t, s.env, decisions.Record{Decision: fmt.Sprintf("Ship step %d of the new checkout behind a flag", i), Confidence: 0.45 + float64(i%10)*0.05, Category: []string{"architecture", "process", "tooling"}[i/3%3],
			Stakes: stakes, ExtraFields: decisions.ExtraFields{Project: "acme/shop",
				AgentID: []string{"ada", "emerson", "grace"}[i%3],
				Reasons: []decisions.Reason{{Type: "analysis", Text: "It can be taken back at any time"},
					{Type: "empirical", Text: "The last step held"}}}})
		toolstest.Review(t, s.env, made.ID, outcome)
	}
	for i, value := range []float64{0.55, 0.6, 0.7, 0.65} {
		toolstest.Set(t, s.env, "high_stakes_min_confidence", value)
		for range i + 1 {
			graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
				check.ActionCheck{Description: "Move the orders to the new store", Category: "architecture",
					Stakes: "high", Confidence: new(0.4), Project: "acme/shop", AgentID: "grace",
					By: "grace"}))(t)
		}
	}
	s.graph.Exec(t, `MATCH (c:SYS_Change {name: 'high_stakes_min_confidence'}) WITH c ORDER BY c.at WITH collect(c) AS them UNWIND range(0, size(them) - 1) AS i
		WITH them[i] AS c, i, size(them) - i AS back SET c.at = c.at - duration({days: back * 5}), c.why = CASE WHEN i > 0 THEN ['Two migrations with a confidence of 0.5 failed', 'A third migration failed', 'Try what the strictest reviewer asked for', 'Nothing was migrated for a week'][i - 1] ELSE c.why END`, nil)
	s.graph.Exec(t, `MATCH (v:Verdict) WITH v ORDER BY v.at WITH collect(v) AS them UNWIND range(0, size(them) - 1) AS i WITH them[i] AS v, i SET v.at = v.at - duration({days: (i * 7) % 20})`, nil)
	graphtest.Must(s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(900), "order": "A-1007"},
			Caller: sessions.Caller{By: "grace"}}))(t)
}

// executed reports a week of executed tool calls, some of them without a verdict.
func (s *site) executed(t *testing.T) {
	t.Helper()
	var calls []check.Execution
	for i := range 40 {
		id := fmt.Sprint("call-", i)
		if i%4 > 0 {
			graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
				check.ActionCheck{Description: fmt.Sprint("Run: go test ./shop/", i), Name: "shell.run",
					Context: graph.Parameters{"client": "claude-code", "client_session": "week", "tool_use_id": id},
					AgentID: "ada", By: "ada"}))(t)
		}
		calls = append(calls, check.Execution{Client: "claude-code", Version: "2.1.300", Session: "week", ToolUseID: id,
			Event: "PostToolUse", Kind: "shell.run", Outcome: check.Succeeded})
	}
	calls = append(calls, check.Execution{Client: "cursor", ToolUseID: "lost", Event: "lost", Kind: "tool",
		Reason: check.NotRecorded})
	graphtest.Must(s.env.Checks.RecordExecutions(t.Context(), check.Executions{Executions: calls}))(t)
	s.graph.Exec(t, `MATCH (e:Execution) WITH e ORDER BY e.uid WITH collect(e) AS them UNWIND range(0, size(them) - 1) AS i WITH them[i] AS e, i SET e.at = e.at - duration({days: i % 7})`, nil)
}

// remembered imports two conversations of a project.
func (s *site) remembered(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for session, texts := range map[string][]string{"checkout": {"Why do orders take so long?",
		"Each one writes to the old store first. I suggest to write to the new one and copy in the background."},
		"invoices": {"Which numbers do invoices get?",
			"They continue those of the old store, so that none is missing."}} {
		var lines strings.Builder
		for i, text := range texts {
			kind := []string{"user", "assistant"}[i%2]
			fmt.Fprintf(&lines, `{"type": %q, "sessionId": %q, "uuid": "%s-%d", "timestamp": "2026-02-01T10:0%d:00Z", "cwd": "/nowhere/shop", "message": {"role": %q, "content": [{"type": "text", "text": %q}]}}`+"\n", kind, session, session, i, i, kind, text)
		}
		graphtest.OK(t, os.WriteFile(filepath.Join(folder, session+".jsonl"), []byte(lines.String()), 0o600))
	}
	s.call(t, "ada", "import_sessions", `{"path": "`+filepath.ToSlash(folder)+`"}`)
}

// spokenOf lets agents receive contexts and rate them.
func (s *site) spokenOf(t *testing.T) {
	t.Helper()
	call := func(who, operation, arguments string) { t.Helper(); s.call(t, who, operation, arguments) }
	call("ada", "load_atlases", `{"atlases": [{"name": "nomograph"}, {"name": "chrystallum"}]}`)
	for i, who := range []string{"ada", "emerson", "grace"} {
		call(who, "cra_start_session", `{"goal": "Promote what was claimed of the year 1066", "atlas_hints": ["chrystallum"]}`)
		for _, need := range []string{"when is a claim promoted", "which sources count for a date",
			"how the invoices of the shop are numbered"} {
			call(who, "cra_request_context", `{"need": "`+need+`"}`)
		}
		call(who, "cra_feedback", `{"context_id": "chrystallum-claims", "helpful": `+fmt.Sprint(i > 0)+`, "reason": "`+
			[]string{"It names no year", "It names the table", "It says what is to be done first"}[i]+`"}`)
	}
	row := s.graph.Rows(t, `MATCH (d:Decision) WHERE d.decision STARTS WITH 'Ship step' RETURN d.id AS id ORDER BY d.created_at DESC LIMIT 2`, nil)
	toolstest.Link(t, s.env, row[0]["id"].(string), "contradicts", row[1]["id"].(string))
}
