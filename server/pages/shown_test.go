package pages_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/events"
	"nomograph/server/pages"
	"nomograph/server/rest"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestAPIDocs_WithEvents_ListsOperations opens the REST API page as the program serves it, together with the routes of
// other transports.
func TestAPIDocs_WithEvents_ListsOperations(t *testing.T) {
	h := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(*http.Request) (caller.Caller, error) { return caller.Caller{Trusted: true}, nil }})
	rest.New(tools.Runner{}, rest.Options{Version: "test", Operations: tools.Catalog,
		Beside: []rest.OtherRoute{events.Described()}}).Serve(h)
	served := httptest.NewServer(h.Handler())
	defer served.Close()
	b := (&site{url: served.URL}).stranger(t)
	b.do(chromedp.Navigate(served.URL + "/api/docs"))
	b.until(`/^\d+ operations$/.test(document.querySelector("#state").innerText)`)
	if n := eval[int](b, `document.querySelectorAll("details.operation").length`); n < 50 ||
		!eval[bool](b, `Array.from(document.querySelectorAll("h2"), (h) => h.innerText).includes("events")`) {
		t.Errorf("got %d operations: %s", n, b.text("main"))
	}
	b.quiet()
}

// TestSession_OpenDisclosure_Continues checks that an open or focused element does not block updates.
func TestSession_OpenDisclosure_Continues(t *testing.T) {
	s := open(t)
	record := func(text string) {
		t.Helper()
		toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{AgentID: "bot"}})
	}
	record("Take the first step")
	toolstest.WaitForWorkers(t, s.graph)
	found, err := s.env.Trace.Sessions(t.Context(), trace.SessionFilter{AgentID: "bot"})
	if err != nil || len(found.Sessions) != 1 {
		t.Fatal(found, err)
	}
	b := s.browse(t)
	b.to("/session?id=" + found.Sessions[0].UID)
	b.click("#events summary")
	b.until(`document.querySelector("#events details").open && document.activeElement.matches("#events summary")`)
	record("Take the second step")
	b.until(`document.querySelector("#story").innerText.includes("Take the second step")`)
	is(b, `document.querySelector("#events li:last-child details").open && document.activeElement.matches("#events summary")`, true, "an open disclosure was closed")
	record("Take the third step")
	b.until(`document.querySelector("#story").innerText.includes("Take the third step")`)
	if n := eval[int](b, `document.querySelectorAll("#events > li").length`); n != 3 ||
		!strings.Contains(b.text("#chain"), "3 events") {
		t.Errorf("three events are shown as %d: %s", n, b.text("#story"))
	}
	b.click("#pause")
	record("Take the fourth step")
	b.until(`document.querySelector("#pause").getAttribute("aria-pressed") === "true"`)
	b.holds(t, "#story", "!Take the fourth step")
	b.click("#pause")
	b.until(`document.querySelector("#events > li").innerText.includes("Take the fourth step")`)
	// as if more events had arrived than a page lists
	eval[string](b, `(document.querySelectorAll("#events [data-hash]").forEach((item) => { item.dataset.hash = "old " + item.dataset.hash; }), "")`)
	record("Take the fifth step")
	b.until(`document.querySelector("#events > li").innerText.includes("Take the fifth step")`)
	is(b, `document.querySelectorAll("#events > li").length`, 5)
	b.quiet()
	b.accessible()
}

// TestSession_EachEvent_ReadsAsASentence records one event of each type and reads the page.
func TestSession_EachEvent_ReadsAsASentence(t *testing.T) {
	s := open(t)
	call := func(operation, arguments string) string {
		t.Helper()
		return toolstest.Pretty(t, s.call(t, "grace", operation, arguments))
	}
	call("load_atlases", `{"atlases": [{"name": "nomograph"}, {"name": "chrystallum"}]}`)
	call("cra_start_session", `{"goal": "Promote a claim", "session_id": "story", "atlas_hints": ["chrystallum"]}`)
	call("cra_request_context", `{"need": "when is a claim promoted", "session_id": "story"}`)
	call("cra_feedback", `{"context_id": "chrystallum-claims", "helpful": false, "reason": "It names no year", "session_id": "story"}`)
	call("cra_report_action", `{"action": "refund.pay", "params": {"amount": 9}, "session_id": "story"}`)
	call("record_thought", `{"text": "A queue comes first", "session_id": "story"}`)
	call("check_action", `{"description": "Deploy the shop", "session_id": "story"}`)
	call("query_decisions", `{"query": "queues", "session_id": "story"}`)
	call("log_decision", `{"decision": "Use queues", "confidence": 0.7, "category": "process", "session_id": "story"}`)
	call("cra_end_session", `{"summary": "All done", "session_id": "story"}`)
	toolstest.WaitForWorkers(t, s.graph)
	_, _, page := s.get(t, "/session?id=story")
	_, list, _ := strings.Cut(page, `id="events"`)
	list = regexp.MustCompile(`(?s)<details class="payload">.*?</details>`).ReplaceAllString(list, "")
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(list, " ")), " ")
	graphtest.Contains(t, text, "started the session with the goal Promote a claim",
		"asked for context on when is a claim promoted", "got chrystallum-",
		"rated the context chrystallum-claims not helpful", "It names no year", "for the need: ",
		"reported the action refund.pay", "thought: A queue comes first", "checked the action Deploy the shop allowed",
		"searched for queues", "decided: Use queues", "ended the session All done")
	led := regexp.MustCompile(`(?s)<strong>decided:</strong>.*?(\d) events led to this decision(.*?)</ol>`).
		FindStringSubmatch(list)
	if led == nil || led[1] != "3" || !strings.Contains(led[2], "A queue comes first") ||
		!strings.Contains(led[2], "Deploy the shop") || strings.Contains(led[2], "refund.pay") {
		t.Errorf("the tree of the decision is %q", led)
	}
	if ended, started := strings.Index(text, "ended the session"),
		strings.Index(text, "started the session"); ended > started {
		t.Errorf("the newest event is not first: %s", text)
	}
	s.shows(t, "/session?id=story&type=approvals", "No events of this type.")
	s.shows(t, "/session?id=story&type=thoughts", "A queue comes first", "!ended the session")
	newest, err := s.env.Trace.Session(t.Context(), trace.SessionQuery{SessionID: "story", Limit: 4, Newest: true})
	if err != nil || len(newest.Events) != 4 || newest.Events[3].Type != trace.Ending || newest.NextCursor != "" {
		t.Fatalf("the newest events are %+v %v", newest, err)
	}
	earlier, err := s.env.Trace.Session(t.Context(),
		trace.SessionQuery{SessionID: "story", Limit: 4, Cursor: newest.EarlierCursor})
	if err != nil || len(earlier.Events) != 4 || earlier.Events[3].Seq+1 != newest.Events[0].Seq {
		t.Errorf("the events before are %+v %v", earlier, err)
	}
	first, err := s.env.Trace.Session(t.Context(),
		trace.SessionQuery{SessionID: "story", Limit: 4, Cursor: earlier.EarlierCursor})
	if err != nil || first.Events[0].Seq != 0 || first.Events[len(first.Events)-1].Seq+1 != earlier.Events[0].Seq ||
		first.EarlierCursor != "" {
		t.Errorf("the first events are %+v %v", first, err)
	}
	some := trace.SessionQuery{SessionID: "story", Limit: 1, Newest: true,
		Types: []string{"session.started", "thought"}}
	filtered, err := s.env.Trace.Session(t.Context(), some)
	if err != nil || len(filtered.Events) != 1 || filtered.Events[0].Type != "thought" || filtered.NextCursor != "" {
		t.Fatalf("the newest event of two types is %+v %v", filtered, err)
	}
	some.Cursor = filtered.EarlierCursor
	if filtered, err = s.env.Trace.Session(t.Context(), some); err != nil || len(filtered.Events) != 1 ||
		filtered.Events[0].Type != "session.started" || filtered.EarlierCursor != "" {
		t.Fatalf("the event of two types before is %+v %v", filtered, err)
	}
	some.Cursor = filtered.NextCursor
	if filtered, err = s.env.Trace.Session(t.Context(), some); err != nil || len(filtered.Events) != 1 ||
		filtered.Events[0].Type != "thought" || filtered.EarlierCursor == "" {
		t.Errorf("the event after is %+v %v", filtered, err)
	}
	if !regexp.MustCompile(`Thoughts <span class="small">1</span>`).MatchString(page) {
		t.Errorf("the page does not count thoughts: %s", page)
	}
	s.shows(t, "/session?id=story&type=other", "ended the session", "!A queue comes first")
	folder := t.TempDir()
	line := `{"type": "user", "sessionId": "story", "uuid": "u1", "timestamp": "2026-02-01T10:00:00Z", "cwd": "/work/shop", "message": {"role": "user", "content": "Please *promote* the claim <script>alert(1)</script>"}}`
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "story.jsonl"), []byte(line+"\n"), 0o600))
	call("import_sessions", `{"path": "`+filepath.ToSlash(folder)+`"}`)
	s.shows(t, "/session?id=story", `id="conversation"`, "<em>promote</em>", "!<script>alert")
	path := "/sessions?view=conversations"
	for _, pattern := range []string{`href="(/sessions\?project=[^"]+&amp;view=conversations)"`,
		`href="(/sessions\?project=[^"]+&amp;session=[^"]+)"`} {
		_, _, page := s.get(t, path)
		found := regexp.MustCompile(pattern).FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s does not lead to %s: %s", path, pattern, page)
		}
		path = html.UnescapeString(found[1])
	}
	s.shows(t, path, "<em>promote</em>", "!<script>alert")
	s.shows(t, "/search?kind=conversation&q=promote+the+claim", `href="`+
		strings.ReplaceAll(path, "&", "&amp;")+`"`)
	s.shows(t, "/conversations?project=none&from=2026-01-01", "No conversation matches these filters")
	if regexp.MustCompile(`reported the action refund\.pay (denied|needs approval)`).FindString(text) == "" {
		t.Errorf("a report does not say how it was answered: %s", text)
	}
}

// call runs an operation as an agent.
func (s *site) call(t *testing.T, who, operation, arguments string) any {
	t.Helper()
	o, ok := tools.Find(tools.Catalog, operation)
	if !ok {
		t.Fatal("there is no " + operation)
	}
	out, err := o.Run(caller.With(t.Context(), caller.Caller{Name: who, Trusted: true}), s.env, []byte(arguments))
	if err != nil {
		t.Fatal(operation, err)
	}
	return out
}

// TestPages_Viewing_LeavesNoSession opens every page and checks that no session was recorded for the visitor.
func TestPages_Viewing_LeavesNoSession(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	s.governed(t)
	toolstest.WaitForWorkers(t, s.graph)
	count := func() int {
		return toolstest.Count(t, s.graph, "MATCH (e:TraceEvent) RETURN count(e)")
	}
	before := count()
	client := s.client(t)
	if status, _, _ := s.as(t, client, "GET", s.invited("/"), ""); status != 200 {
		t.Fatal(status)
	}
	for _, page := range pages.Table() {
		s.as(t, client, "GET", s.url+s.address(t, page.Name, id["a"]), "")
	}
	for _, path := range []string{"/decisions?q=decide", "/search?q=decide", "/agent?name=ada", "/graph?find=decide",
		"/graph?depth=2&show=verdict&show=session&to=" + id["2"] + "&lineage=dependents&expand=" + id["b"] + "&node=" +
			id["a"], "/graph/panel?select=" + id["a"], "/graph/export?node=" + id["a"], "/calibration?by=agent"} {
		if status, _, text := s.as(t, client, "GET", s.url+path, ""); status != 200 {
			t.Errorf("%s: got %d %s, want status=200", path, status, text)
		}
	}
	s.env.Trace.Close(t.Context())
	if after := count(); after != before {
		t.Errorf("looking at pages left %d events: %v", after-before,
			s.graph.Rows(t, "MATCH (s:Session)-[:RECORDED]->(e:TraceEvent) RETURN s.agent AS agent, e.type AS type, count(*) AS n", nil))
	}
	form := strings.NewReplacer("SECRET", pages.SecretOf(t, s.key, client, s.url)).
		Replace("secret=SECRET&act=review&outcome=success")
	if status, _, text := s.as(t, onward(client), "POST", s.url+"/decisions/"+id["e"], form); status != 303 {
		t.Fatalf("got %d %s, want status=303", status, text)
	}
	s.env.Trace.Close(t.Context())
	graphtest.Equal(t, count(), before+1, "events after a review by a form")
}

// smallest is the smallest text in any drawing of a page, in CSS pixels.
const smallest = `Math.min(99, ...Array.from(document.querySelectorAll("svg.drawing text"), (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))`

func TestPhone_Drawings_AreLegible(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	for i := range 12 {
		made := toolstest.Record(t, s.env, decisions.Record{Decision: fmt.Sprintf("Ship step %d", i), Confidence: 0.8,
			Category: "process", ExtraFields: decisions.ExtraFields{AgentID: "bot",
				Reasons: []decisions.Reason{{Type: "analysis", Text: "It was looked at"}}}})
		toolstest.Review(t, s.env, made.ID, "success")
	}
	defer pages.WithoutLibraries()()
	bare := serve(t, s.graph, s.env, nil) // text drawn by sigma has the page's font size
	toolstest.Rules(t, s.graph, `(:SYS_Threshold {name: 'budget', value: 0.4})`)
	toolstest.Set(t, s.env, "budget", 0.5)
	s.graph.Exec(t, `MATCH (c:SYS_Change {name: 'budget'}) WITH c ORDER BY c.at WITH collect(c) AS made UNWIND range(0, size(made) - 1) AS i
		WITH i, made[i] AS c SET c.at = datetime({epochSeconds: 1767225600, nanosecond: i * 1000000})`, nil) // within one second
	b := bare.browse(t)
	b.do(chromedp.EmulateViewport(360, 740))
	for _, path := range []string{"/calibration?by=agent", "/calibration", "/graph?node=" + id["a"],
		"/threshold?name=budget"} {
		b.to(path)
		if n := eval[int](b, `document.querySelectorAll("svg.drawing text").length`); n == 0 {
			t.Errorf("%s has no drawing: %s", path, b.text("main"))
		}
		if size := eval[float64](b, smallest); size < 10 {
			t.Errorf("%s has text of %.1f px", path, size)
		}
		is(b, widerThanScreen, "")
	}
	b.quiet()
}

// TestPhone_TappedNode_IsShown taps a node on a touch screen.
func TestPhone_TappedNode_IsShown(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	b := s.browse(t)
	b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
	inSight := `(() => { const at = document.querySelector("#panel h2")?.getBoundingClientRect(); return at && at.top >= 0 && at.bottom <= innerHeight && document.elementFromPoint(at.left + 5, at.top + 5)?.closest("#panel") ? true : false; })()`
	for _, path := range []string{"/graph?depth=1&node=" + id["a"], "/query?q=MATCH+(n:Decision+{id:'" + id["a"] +
		"'})+RETURN+n"} {
		b.to(path)
		eval[bool](b, `(document.querySelector("#stage").scrollIntoView({block: "start"}), true)`)
		b.until(`document.querySelector("#stage canvas")`)
		if strings.Contains(b.text("#panel"), "Decide a") {
			t.Fatalf("%s: the panel shows a node before the tap", path)
		}
		at := eval[[]float64](b, `import(document.querySelector("script[type=module]").src.replace(/\w+\.js$/, "network.js")).then((m) => {
			const id = m.graph.findNode((n) => m.graph.getNodeAttribute(n, "node").title === "Decide a"), on = m.renderer.getNodeDisplayData(id), to = m.renderer.framedGraphToViewport(on), box = document.querySelector("#stage").getBoundingClientRect();
			return [box.left + to.x, box.top + to.y]; })`)
		b.tap(at[0], at[1])
		b.until(`document.querySelector("#panel").innerText.includes("Decide a")`)
		b.until(inSight)
		b.click("#panel .close")
		b.until(`!document.querySelector("#panel").classList.contains("told")`)
	}
	b.quiet()
}

// TestPages_WithoutScripts_HaveNoEmptyPart opens pages in a browser with JavaScript disabled.
func TestPages_WithoutScripts_HaveNoEmptyPart(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	b := s.stranger(t)
	b.withoutScripts()
	for _, path := range []string{"/graph?node=" + id["a"], "/query?q=MATCH+(n:Decision)+RETURN+n", "/today",
		"/decisions/" + id["a"], "/calibration", "/sessions"} {
		b.do(chromedp.Navigate(s.url + path))
		b.until(`document.readyState === "complete"`)
		is(b, `Boolean(document.querySelector("#stage") && document.querySelector("#stage").getClientRects().length)`,
			false)
		is(b, `Array.from(document.querySelectorAll("button"), (b) => b.getClientRects().length && !b.form ? b.outerHTML : "").join("")`, "")
	}
	b.do(chromedp.Navigate(s.url + "/graph?node=" + id["a"]))
	b.until(`document.querySelector("noscript img")?.naturalWidth > 100`)
}

func TestMissingPage_InABrowser_IsAPage(t *testing.T) {
	s := open(t)
	for _, path := range []string{"/nowhere", "/decisions/0a1b2c3d/else", "/graph/export?format=exe",
		"/query/file?name=x"} {
		status, header, text := s.get(t, path, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		if status < 400 || !strings.HasPrefix(header.Get("Content-Type"), "text/html") ||
			!strings.Contains(text, "<nav") || header.Get("Content-Security-Policy") == "" {
			t.Errorf("%s in a browser: %d %s %s", path, status, header.Get("Content-Type"), text)
		}
		status, header, text = s.get(t, path, "Accept", "*/*")
		if status < 400 || header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s for a program: %d %s %s", path, status, header.Get("Content-Type"), text)
		}
	}
	if status, _, text := s.get(t, "/nowhere", "Accept", "text/html"); status != 404 ||
		!strings.Contains(text, "No page has the address /nowhere") {
		t.Errorf(`got %d %s, want status=404, text with "No page has the address /nowhere"`, status, text)
	}
	s.answers(t, "/decisions/ffffffff", 404, "<h1>Decision &#39;ffffffff&#39; not found</h1>",
		"<code>nomograph decision list</code>")
	closed := serve(t, s.graph, s.env, map[string]caller.Caller{"nmg_ada": {Name: "ada", Authenticated: true,
		Permissions: caller.Permissions}})
	if status, _, text := closed.get(t, "/nowhere", "Accept", "text/html"); status != 404 ||
		strings.Contains(text, "<nav") || strings.Contains(text, "ada") {
		t.Errorf(`a visitor who is not signed in: got %d %s, want status=404, text without "<nav", text without ada`,
			status, text)
	}
	if status, _, text := closed.as(t, closed.signedIn(t, "nmg_ada"), "GET", closed.url+"/nowhere", "", "Accept",
		"text/html"); status != 404 || !strings.Contains(text, "<nav") {
		t.Errorf(`a signed-in visitor: got %d %s, want status=404, text with "<nav"`, status, text)
	}
}

// TestPages_Times_SayUTC checks every page with content.
func TestPages_Times_SayUTC(t *testing.T) {
	s := open(t)
	id := s.hostile(t)
	seen := 0
	for _, page := range pages.Table() {
		_, _, text := s.get(t, s.address(t, page.Name, id))
		for _, found := range regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?(.{4})`).
			FindAllStringSubmatch(text, -1) {
			if seen++; found[2] != " UTC" {
				t.Errorf("%s has the time %s", page.Name, found[0])
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d times were seen", seen)
	}
}

// TestPages_Printed_HaveContentOnly prints pages from a browser with the dark color scheme.
func TestPages_Printed_HaveContentOnly(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	s.graph.Exec(t, "MATCH (d:Decision {id: $id}) SET d.source = 'adr', d.external_id = 'c'",
		map[string]any{"id": id["c"]})
	b := s.browse(t)
	for path, want := range map[string]string{"/imports": "Decide c", "/decisions/" + id["a"]: "8 decisions depend",
		"/today": "Open proposals", "/impact?decision=" + id["a"]: "Decide b", "/graph?plain=1&node=" +
			id["a"]: "Decide a"} {
		b.to(path)
		b.paper()
		is(b, `Array.from(document.querySelectorAll("form:not(:has(table)), button, input, select, a.button, .top, .skip, .bulk, .on-screen, details:not([open]) > summary, [data-later]:not([data-filled])")).filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80)).join(" | ")`, "")
		is(b, `getComputedStyle(document.body).color`, "rgb(27, 31, 42)")
		b.holds(t, "main", want)
	}
	b.quiet()
}

// TestPages_FirstReadTimesOut_IsReadAgain lets the first statement of the home page time out, as on a new engine that
// still plans. It also lists the statements of two pages without content of their own: the number in the menu takes
// three, once, and reads no rules while no proposal exists.
func TestPages_FirstReadTimesOut_IsReadAgain(t *testing.T) {
	g := open(t).graph
	db := toolstest.Reopen(t, g)
	var times atomic.Int32
	db.Watches = append(db.Watches, func(ctx context.Context, statement string) (context.Context, func(error)) {
		if !strings.HasSuffix(statement, "insights/today") || times.Add(1) > 1 {
			return ctx, func(error) {}
		}
		ctx, cancel := context.WithDeadline(ctx, time.Now())
		return ctx, func(error) { cancel() }
	})
	s := serve(t, g, toolstest.App(t, db), nil)
	if status, _, page := s.get(t, "/"); status != http.StatusOK || !strings.Contains(page, "Denied in 24 hours") ||
		times.Load() != 2 {
		t.Errorf("after a timeout, the page is %d after %d reads: %s", status, times.Load(), page)
	}
	observed, statements := toolstest.Observe(t, g)
	s = serve(t, g, toolstest.App(t, observed), nil)
	s.get(t, "/more")
	sent := statements.Take()
	for _, want := range []string{"policies/check/appeals_found", "policies/proposals/proposals_found",
		"sessions/approvals_found"} {
		if !slices.Contains(sent, want) {
			t.Errorf("the first page sends %v, want %s among them", sent, want)
		}
	}
	s.get(t, "/more")
	if sent := statements.Take(); len(sent) > 0 {
		t.Errorf("the second page sends %v, want nothing", sent)
	}
}

// TestPages_CountCutOff_ShowsNone: one of the three lists does not answer, so the number of the others would be too
// small.
func TestPages_CountCutOff_ShowsNone(t *testing.T) {
	defer pages.WithCountWait(time.Millisecond)()
	g := open(t).graph
	db := toolstest.Reopen(t, g)
	db.Watches = append(db.Watches, func(ctx context.Context, statement string) (context.Context, func(error)) {
		if statement == "policies/check/appeals_found" {
			<-ctx.Done()
		}
		return ctx, func(error) {}
	})
	env := toolstest.App(t, db)
	graphtest.Must(env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Caller: sessions.Caller{By: "grace"}}))(t)
	s := serve(t, g, env, nil)
	s.shows(t, "/sessions", `!id="pending"`)
}
