package pages_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestQueryPage_Keyboard_RunsAQuery uses only the keyboard and the completion of labels and properties.
func TestQueryPage_Keyboard_RunsAQuery(t *testing.T) {
	needLibraries(t)
	s := open(t)
	id := s.hostile(t)
	b := s.browse(t)
	b.to("/query")
	b.fill("#q", "MATCH (p:Decis")
	b.until(`document.querySelector("#words [aria-selected=true]")?.textContent === "Decision"`)
	b.accessible()
	b.do(chromedp.KeyEvent("\t"), chromedp.KeyEvent(" {id: '"+id+"'})-[r]-(o:Decision) RETURN p, r, o.decisio"))
	b.until(`document.querySelector("#words [aria-selected=true]")?.textContent === "decision"`)
	b.do(chromedp.KeyEvent("\t"), chromedp.KeyEvent(" AS text"))
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(chromedp.KeyEvent("\r", chromedp.KeyModifiers(2))) // Ctrl
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
	b.holds(t, "table", hostile[1])
	b.do(chromedp.Focus(chromedp.CSS("#stage")), chromedp.KeyEvent("\r"))
	is(b, `document.querySelector("#panel a[href]").getAttribute("href")`, "/decisions/"+id)
	b.quiet()
	s.shows(t, "/query?plain=1&"+
		url.Values{"q": {"MATCH (n:Decision {id: '" + id + "'}) RETURN n"}}.Encode(), `<a href="/decisions/`+id)
	query := url.Values{"q": {"MATCH (n:Decision) RETURN n.id AS id"}, "name": {"all_ids"},
		"use": {"Which decisions\nthere are."}}
	s.shows(t, "/query?q=CREATE+(n)+RETURN+n", "query_refused")
	if _, _, text := s.get(t, "/query?"+query.Encode(), "Sec-Fetch-Site", "cross-site"); strings.Contains(text, id) ||
		!strings.Contains(text, "A link on another site opened this query") {
		t.Errorf("a link from another site runs the query: %s", text)
	}
	if status, header, text := s.get(t, "/query/file?"+query.Encode()); status != 200 ||
		!strings.Contains(header.Get("Content-Disposition"), `"all_ids.cypher"`) ||
		text != "// Which decisions there are.\nMATCH (n:Decision) RETURN n.id AS id\n" {
		t.Errorf(`the file: got %d %v %s, want status=200, Content-Disposition with ""all_ids.cypher"", text=%v`,
			status, header, text, "// Which decisions there are.\nMATCH (n:Decision) RETURN n.id AS id\n")
	}
	query.Set("name", "../all")
	s.answers(t, "/query/file?"+query.Encode(), 400)
}

func TestCalibrationPage_Links_LeadToDecisions(t *testing.T) {
	s := open(t)
	record := func(text string, confidence float64) string {
		kind := []string{"analysis", "empirical"}[len(text)%2]
		return toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: confidence, Category: "process",
			ExtraFields: decisions.ExtraFields{AgentID: "bot", Project: "acme/shop",
				Reasons: []decisions.Reason{{Type: kind, Text: "It was looked at"}}}}).ID
	}
	for i := range 8 {
		toolstest.Review(t, s.env, record("Ship step "+string(rune('a'+i)), []float64{0.65, 0.85}[i%2]),
			[]string{"failure", "success"}[i%2])
	}
	b := s.browse(t)
	b.to("/calibration?category=process&by=agent")
	is(b, `document.querySelectorAll("svg:not(.comparison) .point").length`, 2)
	is(b, `Boolean(document.querySelector(".chart")) || !document.querySelector("#weeks[open] table")`, false,
		"a single week is drawn, or its table is closed")
	b.holds(t, "main", "bot", "0.6 to 0.7", "Brier score by week", "!may lie between")
	b.accessible()
	s.shows(t, "/calibration", `href="/decisions?reason_type=empirical&amp;status=reviewed"`)
	_, _, weeks := s.get(t, "/calibration?category=process")
	week := regexp.MustCompile(`<td><a href="(/query[^"]+)">`).FindStringSubmatch(weeks)
	if week == nil {
		t.Fatalf("the weeks have no links: %s", weeks)
	}
	if _, _, text := s.get(t, html.UnescapeString(week[1])); strings.Count(text, "Ship step") < 8 {
		t.Errorf("a week's decisions are %s", text)
	}
	s.shows(t, "/calibration?stakes=high&by=agent", "Cannot group by agent with these filters.", "<h1>Calibration</h1>")
	if _, _, text := s.get(t, "/decisions?reason_type=empirical&status=reviewed"); strings.Count(text,
		`href="/decisions/`) != 8 {
		t.Errorf("decisions with such a reason are %s", text)
	}
	s.shows(t, "/decisions?reason_type=analysis", `!href="/decisions/`)
	b.do(chromedp.Focus(chromedp.CSS("svg a")))
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(chromedp.KeyEvent("\r"))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
	if n, shown := eval[int](b, `document.querySelectorAll("tbody tr").length`), b.text("tbody"); n != 4 ||
		strings.Contains(shown, "success") {
		t.Errorf("the lower point leads to %d: %s", n, shown)
	}
	bot, err := s.env.Trace.Sessions(t.Context(), trace.SessionFilter{AgentID: "bot"})
	if err != nil || len(bot.Sessions) != 1 {
		t.Fatal(bot, err)
	}
	b.to("/session?id=" + bot.Sessions[0].UID)
	b.until(`document.querySelector("#story .badge").textContent === "intact"`)
	record("Ship the last step", 0.9)
	b.until(`document.querySelector("#story").textContent.includes("Ship the last step")`)
	s.graph.Exec(t, "MATCH (e:TraceEvent) WHERE e.seq = 1 SET e.payload = '{}'", nil)
	b.to("/session?id=" + bot.Sessions[0].UID)
	b.holds(t, "main", "Chain verification failed")
	b.quiet()
	s.graph.Exec(t, `MATCH (c:CalibrationCell) WHERE c.period <> 'all' CREATE (older) SET older = properties(c), older.uid = randomUUID(), older.period = toString(date(c.period) - duration({days: 14})), older:CalibrationCell`, nil)
	b.to("/calibration?category=process")
	is(b, `document.querySelectorAll(".chart .line").length`, 4)
	if shown := eval[string](b, `document.querySelector(".chart").textContent`); !strings.Contains(shown,
		"— reliability") || !regexp.MustCompile(`[A-Z][a-z]{2} \d`).MatchString(shown) {
		t.Errorf("the chart names neither its lines nor its times: %q", shown)
	}
	b.accessible()
	for path, want := range map[string]bool{"/decisions": true, "/decisions?category=process": false,
		"/verdicts": false} {
		if _, _, page := s.get(t, path); strings.Contains(page, "Outcomes by week of review") != want {
			t.Errorf("%s: the outcomes by week are there: %v, want %v", path, !want, want)
		}
	}
}
