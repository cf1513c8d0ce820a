package pages_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"html"
	"maps"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/policies/proposals"
	"nomograph/server/pages"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// hostile are texts that attack a page that does not escape them.
var hostile = []string{`<script>document.title="taken"</script>`, `"><img src=x onerror="document.title='taken'">`,
	`'-alert(1)-'`, `{{.Secret}}</title><svg onload=alert(1)>`, `javascript:alert(1)`, "\u202egnp.exe", `]]>--><!--`}

func TestFirstPage_EmptyAndHostileGraph_IsShown(t *testing.T) {
	s := open(t)
	if status, header, text := s.get(t, "/"); status != 200 || !strings.Contains(text, "No decisions yet") ||
		!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf(`got %d %v %s, want status=200, text with "No decisions yet", Content-Security-Policy with "default-src 'none'"`, status, header, text)
	}
	for path, once := range map[string]string{"/calibration": "No decisions are recorded yet",
		"/decisions": "No decisions yet"} {
		if _, _, text := s.get(t, path); strings.Count(text, once) != 1 || strings.Contains(text, "0 decisions") ||
			strings.Contains(text, "no decision was") {
			t.Errorf("%s of an empty graph does not contain %q once: %s", path, once, text)
		}
	}
	s.hostile(t)
	b := s.stranger(t)
	b.open(s.invited("/"))
	is(b, shownAt("h1"), "Today")
	title, address := eval[string](b, "document.title"), eval[string](b, "location.href")
	if title == "taken" || strings.Contains(address, "open=") {
		t.Errorf("%q at %s", title, address)
	}
	graphtest.Contains(t, b.text("main"), hostile[:3]...)
}

// TestFirstPage_Size_IsSmall adds up the compressed sizes of the page and of everything it loads.
func TestFirstPage_Size_IsSmall(t *testing.T) {
	s := open(t)
	_, _, text := s.get(t, "/")
	total := len(text)
	for _, found := range regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`).FindAllStringSubmatch(text, -1) {
		_, header, asset := s.get(t, found[1], "Accept-Encoding", "gzip")
		graphtest.Contains(t, header.Get("Cache-Control"), "immutable")
		total += len(asset)
	}
	if total > 150_000 {
		t.Errorf("got %d bytes, want total at most 150_000", total)
	}
	for _, page := range pages.Table() { // a stream that is decompressed as it arrives must render from its first kilobyte
		_, _, text := s.get(t, strings.NewReplacer("{id}", "00000000").Replace(page.Path))
		first, _, _ := strings.Cut(text, "</h1>")
		var packed bytes.Buffer
		to := gzip.NewWriter(&packed)
		_, _ = to.Write([]byte(first))
		if err := to.Close(); err != nil || packed.Len() > 1024 {
			t.Errorf("%s renders only after %d bytes, %v", page.Name, packed.Len(), err)
		}
	}
}

var secretInPage = regexp.MustCompile(`name="secret" value="([^"]+)"`)

func TestSignIn_Credentials_AreChecked(t *testing.T) {
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	s := serve(t, g, env, map[string]caller.Caller{"nmg_ada": {Name: "ada", Authenticated: true,
		Permissions: []caller.Permission{caller.Read}}})
	client := s.client(t)
	if _, _, text := s.as(t, client, "GET", s.url+"/", ""); !strings.Contains(text, `name="token"`) {
		t.Errorf(`a visitor who is not signed in: got %s, want text with "name="token""`, text)
	}
	form := url.Values{"token": {"nmg_bob"}, "to": {"/"}}
	if status, _, text := s.as(t, client, "POST", s.url+"/signin", form.Encode()); status != 401 ||
		strings.Contains(text, "nmg_bob") {
		t.Errorf("a wrong token: got %d %s, want status=401, text without nmg_bob", status, text)
	}
	form.Set("token", "nmg_ada")
	if status, _, _ := s.as(t, client, "POST", s.url+"/signin", form.Encode(), "Sec-Fetch-Site",
		"cross-site"); status != 403 {
		t.Errorf("another site signs in: %d", status)
	}
	for to, want := range map[string]string{"//evil.example": "/", "https://evil.example/": "/", `/\evil.example`: "/",
		"/graph?node=x": "/graph?node=x"} {
		form.Set("to", to)
		status, header, _ := s.as(t, onward(s.client(t)), "POST", s.url+"/signin", form.Encode())
		graphtest.Equal(t, header.Get("Location"), want, fmt.Sprint(to, " redirects with ", status))
		cookie := header.Get("Set-Cookie")
		if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") ||
			strings.Contains(cookie, "nmg_ada") {
			t.Errorf("the cookie is %s", cookie)
		}
	}
	form.Set("to", "/")
	if status, _, text := s.as(t, client, "POST", s.url+"/signin", form.Encode()); status != 200 ||
		!strings.Contains(text, "Sign out") || !strings.Contains(text, "ada") {
		t.Errorf(`a signed-in visitor: got %d %s, want status=200, text with "Sign out", text with ada`, status, text)
	}
	if _, _, text := s.as(t, s.client(t), "GET", s.url+"/", "", "Sec-Fetch-Site", "cross-site"); !strings.Contains(text,
		`http-equiv="refresh"`) {
		t.Errorf("a link of another site leads to %s", text)
	}
	if _, _, text := s.as(t, client, "POST", s.url+"/signout", ""); !strings.Contains(text, `name="token"`) {
		t.Errorf(`a signed-out visitor: got %s, want text with "name="token""`, text)
	}
}

func TestInvitation_SecondUse_IsRefused(t *testing.T) {
	s := open(t)
	address := s.invited("/")
	client := s.client(t)
	for name, headers := range map[string][]string{
		"a HEAD":                nil,
		"a fetch ahead of time": {"Sec-Purpose", "prefetch"},
		"a page drawn ahead":    {"Sec-Purpose", "prefetch;prerender"},
		"an older fetch ahead":  {"Purpose", "prefetch"},
		"the preview of a link": {"Sec-Fetch-Site", "", "Sec-Fetch-Mode", "", "Sec-Fetch-Dest", ""},
		"a frame":               {"Sec-Fetch-Dest", "iframe"},
		"a script":              {"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"},
	} {
		method := "GET"
		if headers == nil {
			method = "HEAD"
		}
		if status, header, text := s.as(t, client, method, address, "", headers...); status != 200 ||
			header.Get("Set-Cookie") != "" || method == "GET" && !strings.Contains(text, `<form method="post"`) {
			t.Errorf("%s: got %d %v %s", name, status, header, text)
		}
	}
	if status, _, text := s.as(t, client, "GET", address, ""); status != 200 || !strings.Contains(text, "ada") {
		t.Errorf("it: got %d %s, want status=200, text with ada", status, text)
	}
	if status, _, _ := s.as(t, client, "GET", address, ""); status != 200 {
		t.Errorf("a caller with the session is refused: %d", status)
	}
	if status, _, text := s.as(t, s.client(t), "GET", address, ""); status != 403 || secretInPage.MatchString(text) {
		t.Errorf("a second one: got %d %s, want status=403, secretInPage.MatchString(text)=false", status, text)
	}
	if status, _, text := s.as(t, s.client(t), "POST", s.invited("/"), "", "Origin", s.url); status != 200 ||
		!strings.Contains(text, "ada") {
		t.Errorf("the caller with the button: got %d %s, want status=200, text with ada", status, text)
	}
	if status, _, _ := s.as(t, s.client(t), "POST", s.invited("/"), "", "Origin", "http://127.0.0.1:1"); status != 403 {
		t.Errorf("a form of another port: %d", status)
	}
	other := serve(t, s.graph, s.env, nil)
	if status, _, _ := s.as(t, s.client(t), "GET", strings.Replace(s.invited("/"), s.url, other.url, 1),
		""); status != 403 {
		t.Errorf("at another server: got %d, want status=403", status)
	}
}

// of returns an address with a hostile name as a parameter.
func of(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + query.Encode()
}

// addresses are those of pages that show one thing, with ID for the id of a decision.
var addresses = map[string]string{"decision": "/decisions/ID", "manual": "/docs/guides/packs",
	"agent": of("/agent", "name", hostile[1]), "project": of("/project", "name", hostile[2]),
	"search": "/search?q=decide+script", "policy": of("/policy", "name", hostile[1]),
	"threshold": of("/threshold", "name", hostile[0]), "table": "/tables/" + url.PathEscape(hostile[1]),
	"pack": "/packs/" + url.PathEscape(hostile[1]), "atlas": "/atlases/" + url.PathEscape(hostile[1]),
	"propose": "/propose?threshold=at_least&value=0.8", "autonomy": of("/autonomy", "agent", hostile[1]),
	"tuning": "/tuning?name=at_least", "impact": "/decisions/ID?view=impact",
	"policy-impact":    of("/policy", "view", "impact", "name", hostile[1]),
	"threshold-impact": "/threshold?view=impact&to=0.8&name=at_least",
	"tokens": of("/tokens", "all", "yes", "name", hostile[1], "new", hostile[0], "projects", hostile[2], "permissions",
		hostile[3]),
	"query": of("/query", "q", "MATCH (a:Decision)-[r]->(b:Decision) RETURN a, r, b LIMIT 20")}

// address returns the address of a page, about things in the graph where it has such, else about the id.
func (s *site) address(t *testing.T, page, id string) string {
	t.Helper()
	switch page {
	case "proposal":
		if list, err := s.env.Proposals.List(t.Context(), proposals.Filter{}); err == nil && len(list.Proposals) > 0 {
			id = list.Proposals[0].ProposalID
		}
		return "/proposals/" + id
	case "exception":
		if list, err := s.env.Sessions.Exceptions(t.Context(), sessions.ExceptionsQuery{}); err == nil &&
			len(list.Exceptions) > 0 {
			id = list.Exceptions[0].ExceptionID
		}
		return "/exceptions/" + id
	case "session":
		if list, err := s.env.Trace.Sessions(t.Context(), trace.SessionFilter{}); err == nil && len(list.Sessions) > 0 {
			id = list.Sessions[0].UID
		}
		return "/session?id=" + id
	case "verdict":
		if list, err := s.env.Checks.Verdicts(t.Context(), check.VerdictFilter{Rule: hostile[1]}); err == nil &&
			len(list.Verdicts) > 0 {
			id = list.Verdicts[0].VerdictID
		}
		return "/verdicts/" + id
	}
	at := slices.IndexFunc(pages.Table(), func(p pages.Page) bool { return p.Name == page })
	return strings.ReplaceAll(cmp.Or(addresses[page], pages.Table()[at].Path), "ID", id)
}

// TestPages_EachState_IsShown opens every page with an empty graph, one decision, hostile texts, hundreds of
// decisions, and without a database.
func TestPages_EachState_IsShown(t *testing.T) {
	s := open(t)
	// all opens every page; absent lists the pages about objects that the graph lacks.
	all := func(with, id string, absent ...string) {
		t.Helper()
		for _, page := range pages.Table() {
			want := http.StatusOK
			if slices.Contains(absent, page.Name) {
				want = http.StatusNotFound
			}
			s.answers(t, s.address(t, page.Name, id), want, "<h1")
		}
	}
	all("nothing", "00000000", "decision", "verdict", "session", "policy", "threshold", "tuning", "impact",
		"policy-impact", "threshold-impact", "agent",
		"project", "table", "pack", "atlas", "proposal", "propose", "exception")
	all("one decision", toolstest.Record(t, s.env, decisions.Record{Decision: "Begin", Confidence: 0.5}).ID, "verdict",
		"policy", "threshold", "tuning", "policy-impact", "threshold-impact", "agent", "project", "table", "pack",
		"atlas", "proposal", "propose",
		"exception")
	b := s.browse(t)
	b.to("/graph")
	if at := eval[string](b, "location.search"); at != "" ||
		eval[int](b, `document.querySelectorAll("#stage canvas").length`) == 0 {
		t.Errorf("a decision without links is not drawn by the script: %q", at)
	}
	id := s.hostile(t)
	s.proposed(t, id)
	toolstest.Apply(t, s.env, change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}}})
	for _, page := range pages.Table() {
		b.to(s.address(t, page.Name, id))
		if title := eval[string](b, "document.title"); title == "taken" ||
			eval[int](b, `performance.getEntriesByType("navigation")[0].responseStatus`) != http.StatusOK {
			t.Errorf("%s: got %q, %s, want title other than taken, eval[int](b, `performance.getEntriesByType(\"navigation\")[0].responseStatus`)=%v", page.Name, title, b.text("main"), http.StatusOK)
		}
		if n := eval[int](b, `document.querySelectorAll("main img, main svg[onload], main script:not(#data), iframe").length`); n > 0 {
			t.Errorf("%s has %d elements that come from a text", page.Name, n)
		}
		b.do(chromedp.EmulateViewport(360, 740))
		is(b, widerThanScreen, "")
		if high := eval[int](b, `document.querySelector(".top").offsetHeight`); high > 150 {
			t.Errorf("the navigation takes %d of 740 on a small screen", high)
		}
		is(b, labelsApart, "")
		b.do(chromedp.EmulateViewport(1280, 800))
		is(b, `Array.from(document.querySelectorAll("td time")).filter((time) => time.getClientRects().length > 1).map((time) => time.innerText).join()`, "")
		b.quiet()
		b.accessible()
	}
	s.graph.Exec(t, `UNWIND range(1, 400) AS i CREATE (d:Decision {uid: 'many-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide on part ' + i, category: 'process', stakes: 'low', status: 'pending',
		confidence: 0.5, agent: 'ada', created_at: datetime('2026-01-01T00:00:00Z') + duration({hours: i})}) WITH collect(d) AS every UNWIND range(1, 399) AS i WITH every[i] AS newer, every[i / 2] AS older CREATE (newer)-[:DEPENDS_ON {weight: 1.0}]->(older)`, nil)
	all("hundreds", id)
	if _, _, text := s.get(t, "/decisions?agent_id=ada"); !strings.Contains(text, ">Older<") ||
		strings.Count(text, `href="/decisions/`) != 50 {
		t.Errorf("a list of hundreds shows %s", text)
	}
	away := serve(t, s.graph, toolstest.App(t, toolstest.Unavailable(t)), nil)
	for _, page := range pages.Table() {
		if slices.Contains([]string{"styleguide", "more", "docs", "manual"}, page.Name) { // these pages read no data
			continue
		}
		if status, header, text := away.get(t, s.address(t, page.Name, id)); status != 503 ||
			header.Get("Retry-After") == "" ||
			!strings.Contains(text, "Try again") {
			t.Errorf("%s without a database: %d %s", page.Name, status, text)
		}
	}
}

var (
	getForms  = regexp.MustCompile(`(?s)<form[^>]*method="get".*?</form>`)
	fieldName = regexp.MustCompile(`<(?:input|select|textarea)[^>]*\sname="([^"]+)"`)
	hidden    = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// TestPages_Forms_TakeAnyInput sends every form that only reads: with all fields empty, and with an unknown value in
// one field. A wrong value is an error of the person, not of the server.
func TestPages_Forms_TakeAnyInput(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	s := open(t)
	id := s.hostile(t)
	s.proposed(t, id)
	forms := 0
	for _, page := range pages.Table() {
		path := s.address(t, page.Name, id)
		_, _, text := s.get(t, path)
		base, _, _ := strings.Cut(path, "?")
		for _, form := range getForms.FindAllString(text, -1) {
			forms++
			empty := url.Values{}
			for _, field := range fieldName.FindAllStringSubmatch(form, -1) {
				empty.Set(field[1], "")
			}
			for _, field := range hidden.FindAllStringSubmatch(form, -1) {
				empty.Set(field[1], html.UnescapeString(field[2]))
			}
			at := base
			if action := regexp.MustCompile(`^<form[^>]*action="([^"#?]+)`).FindStringSubmatch(form); action != nil {
				at = action[1]
			}
			if status, _, shown := s.get(t, at+"?"+empty.Encode(), "Accept", "text/html"); status != 200 &&
				!strings.Contains(form, " required") || status >= 500 {
				t.Errorf("%s with empty fields: got %d %s", at+"?"+empty.Encode(), status, shown)
			}
			for name := range empty {
				query := maps.Clone(empty)
				query[name] = []string{"zzz nothing"}
				if status, _, shown := s.get(t, at+"?"+query.Encode(), "Accept", "text/html"); status >= 500 ||
					!strings.Contains(shown, "<nav") {
					t.Errorf(`%s: got %d %s, want status less than 500, shown with "<nav"`, at+"?"+query.Encode(),
						status, shown)
				}
			}
		}
	}
	if forms < 20 {
		t.Errorf("only %d forms were sent", forms)
	}
}

// widerThanScreen names the elements that reach beyond the screen if the page scrolls sideways.
const widerThanScreen = `document.documentElement.scrollWidth <= innerWidth ? "" : innerWidth + ": " + Array.from(document.querySelectorAll("body *")).filter((element) =>
	element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".scroll, .chart, .stage, pre")).map((element) => element.outerHTML.slice(0, 120)).join(" | ")`

// labelsApart finds filter labels that are not next to their fields.
const labelsApart = `Array.from(document.querySelectorAll(".find label:not(.hidden)")).filter((label) => {
	const field = document.getElementById(label.htmlFor), at = label.getBoundingClientRect();
	const to = field.getBoundingClientRect(), below = Math.abs(to.left - at.left) < 2 && to.top - at.bottom < 8 && label.parentElement.matches(".field"); // directly under its label
	return field.type !== "search" && at.height > 0 && to.top >= at.bottom && !below;
}).map((label) => label.innerText).join()`

var commandInPage = regexp.MustCompile("<code>nomograph ([a-z ]*[a-z])")

// TestPages_Commands_Exist checks that commands named in templates exist in the catalog.
func TestPages_Commands_Exist(t *testing.T) {
	known := map[string]bool{"open": true, "config show": true} // commands that are not operations
	for _, o := range tools.Catalog {
		known[o.Command] = true
	}
	templates, err := filepath.Glob("templates/*.html")
	if err != nil || len(templates) == 0 {
		t.Fatal(templates, err)
	}
	for _, file := range templates {
		text := graphtest.Must(os.ReadFile(file))(t)
		for _, found := range commandInPage.FindAllStringSubmatch(string(text), -1) {
			words := strings.Fields(found[1])
			if !known[words[0]] && !known[strings.Join(words[:min(2, len(words))], " ")] {
				t.Errorf("%s: `nomograph %s` is not a command", file, found[1])
			}
		}
	}
}

// hostile records decisions whose texts are all hostile, and returns the id of one that is linked to all others.
func (s *site) hostile(t *testing.T) string {
	t.Helper()
	first := ""
	for _, text := range hostile {
		made := toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{Project: text, Tags: []string{text},
				AgentID: text, Context: text, Pattern: text, Feature: text,
				Reasons: []decisions.Reason{{Type: "analysis", Text: text}}}})
		if first == "" {
			first = made.ID
			continue
		}
		toolstest.Link(t, s.env, made.ID, "depends_on", first)
	}
	toolstest.Review(t, s.env, first, "failure")
	s.governed(t)
	return first
}

// governed creates a policy and a threshold with hostile texts, a verdict that violates the policy, and an approval
// request.
func (s *site) governed(t *testing.T) {
	t.Helper()
	s.graph.Exec(t, `CREATE (p:SYS_Policy {name: $policy, active: true, severity: "block", description: $policy, message: $policy, requires: "has(action.confidence) && action.confidence >= threshold('at_least')",
		applies_when: "action.stakes >= critical"})-[:USES_THRESHOLD]->(:SYS_Threshold {name: "at_least", value: 0.9}),
		(p)-[:USES_THRESHOLD]->(:SYS_Threshold {name: $threshold, value: 0.5, unit: $policy, rationale: $policy})`, map[string]any{"policy": hostile[1], "threshold": hostile[0]})
	s.graph.Exec(t, `CREATE (t:SYS_DecisionTable {table_id: $b, label: $a, description: $c})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: $a, conditions: $b, note: $d, outputs: $json})
		CREATE (k:SYS_Pack {name: $b, version: $a, description: $c, applied_at: datetime(), applied_by: $d})-[:OWNS {section: 'decision_tables', key: $b}]->(t)
		CREATE (o:SYS_Pack {name: 'atlas:' + $b, version: $a, applied_at: datetime()})-[:OWNS {section: 'atlases', key: $b}]->(l:Atlas {atlas_id: $b, name: $a, version: $c, description: $c, domains: [$d], dependencies: $json})
		CREATE (l)-[:HAS_CONTEXT]->(:Context {context_id: $a, name: $b, content: $c, keywords: [$d], inject_mode: $a, also_inject: [$b]})
		CREATE (:Token {uid: 't1', name: $b, hint: $a, permissions: [$c], projects: [$d], created_by: $a, created_at: datetime(), revoked_at: datetime(), revoked_by: $b, revoked_because: $c})`,
		map[string]any{"a": hostile[0], "b": hostile[1], "c": hostile[2], "d": hostile[3],
			"json": fmt.Sprintf(`{%q: %q}`, hostile[0], hostile[1])})
	graphtest.Must(s.env.History.Sync(t.Context()))(t)
	graphtest.Must(s.env.Checks.RecordExecutions(t.Context(),
		check.Executions{Executions: []check.Execution{{Client: hostile[1], Version: hostile[2], Event: hostile[0],
			Kind: hostile[3], Tool: hostile[4], ToolUseID: "hostile"}}}))(t)
	if made, err := s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: hostile[0], Stakes: "critical", AgentID: hostile[1], Project: hostile[2],
			Context: graph.Parameters{hostile[3]: hostile[4]}, By: "bot"}); err != nil || made.Allowed ||
		made.Violations[0].Error != "" {
		t.Fatalf(`got %+v %v, want Allowed=false, Error=""`, made, err)
	}
	if asked, err := s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: hostile[0], Params: graph.Parameters{"what": hostile[1]},
			Caller: sessions.Caller{By: hostile[2]}}); err != nil || asked.ApprovalID == "" {
		t.Fatal(asked, err)
	}
}

// TestPages_Forms_ChangeTheGraph fills in forms with the keyboard only, in one tab, and checks the results.
func TestPages_Forms_ChangeTheGraph(t *testing.T) {
	s := open(t)
	id := s.hostile(t)
	b := s.browse(t)
	b.to("/today")
	s.env.Sessions.ApprovalDelay = time.Hour
	b.keyed("[name=reason]", "I looked at it")
	b.pressed(`button[value="approve"]`)
	b.holds(t, "main", "It takes effect at")
	b.pressed(`button[value="undo"]`)
	if list, err := s.env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "waiting"}); err != nil ||
		len(list.Approvals) != 1 || list.Approvals[0].Undone != 1 {
		t.Errorf("after undo: got %+v %v, want a pending approval with one undone vote", list, err)
	}
	s.env.Sessions.ApprovalDelay = 0
	b.keyed("[name=reason]", "I looked at it")
	b.pressed(`button[value="approve"]`)
	list, err := s.env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{})
	if err != nil || len(list.Approvals) != 1 || list.Approvals[0].State != "approved" ||
		list.Approvals[0].AnsweredBy != "ada" || list.Approvals[0].Reason != "I looked at it" {
		t.Errorf("the approval is %+v %v", list, err)
	}
	b.to("/decisions/" + id)
	is(b, `getComputedStyle(document.querySelector("a.decision")).unicodeBidi`, "isolate")
	b.tab("#outcome")
	b.do(key("p"))
	b.keyed("#lessons", hostile[0])
	b.pressed(`button[value="review"]`)
	b.holds(t, ".timeline", "reviewed by ada", hostile[0])
	b.to("/threshold?" + url.Values{"name": {hostile[0]}}.Encode())
	b.keyed("#value", "0.7")
	b.pressed(`form[action="/threshold#change"] button`)
	b.holds(t, ".note", "to 0.7", hostile[1])
	b.keyed("#reason", "it was too low")
	b.pressed(`button[value="set"]`)
	b.holds(t, "main", "it was too low", "0.7")
	b.to("/policy?" + url.Values{"name": {hostile[1]}}.Encode())
	b.keyed("#reason", "not now")
	b.pressed(`button[value="disable"]`)
	b.holds(t, "main", "not now", "Enable")
	b.quiet()
}

// TestEnterInAForm_ChangesNothing covers every form that changes something and has a text input.
func TestEnterInAForm_ChangesNothing(t *testing.T) {
	s := open(t)
	s.hostile(t)
	b := s.browse(t)
	state := func() string {
		t.Helper()
		rows := s.graph.Rows(t, `MATCH (a:Approval) MATCH (p:SYS_Policy {name: $policy}) MATCH (t:SYS_Threshold {name: $threshold}) RETURN a.state AS approval, p.active AS active, p.mode AS mode, t.value AS value`,
			map[string]any{"policy": hostile[1], "threshold": hostile[0]})
		return fmt.Sprint(rows)
	}
	before := state()
	threshold := url.Values{"name": {hostile[0]}, "value": {"0.7"}}.Encode()
	for path, field := range map[string]string{"/today": "#approval-list [name=reason]", "/policy?" +
		url.Values{"name": {hostile[1]}}.Encode(): "#reason", "/threshold?" + threshold: "#reason"} {
		b.to(path)
		eval[string](b, `document.body.dataset.sent = ""; addEventListener("submit", () => { document.body.dataset.sent = "yes" }); ""`)
		b.keyed(field, "because")
		b.do(key("\r"))
		if sent, value := eval[string](b, `document.body.dataset.sent`),
			eval[string](b, fmt.Sprintf(`document.querySelector(%q).value`, field)); sent != "" || value != "because" {
			t.Errorf("%s: Enter submits: %q, and %q is left", path, sent, value)
		}
		if after := state(); after != before {
			t.Errorf("%s: Enter changes %[3]s to %[2]s", path, after, before)
		}
	}
	b.to("/today")
	is(b, `(() => { const [a, d] = ["approve", "reject"].map((act) => getComputedStyle(document.querySelector("button[value=" + act + "]"))); return ["backgroundColor", "color", "borderColor", "fontWeight"].every((name) => a[name] === d[name]); })()`, true, "Approve and Reject do not look equal")
	b.quiet()
	templates, err := filepath.Glob("templates/*.html")
	if err != nil || len(templates) == 0 {
		t.Fatal(templates, err)
	}
	for _, file := range templates {
		text := graphtest.Must(os.ReadFile(file))(t)
		if strings.HasSuffix(file, "invited.html") { // this form signs in and changes nothing else
			continue
		}
		for _, form := range regexp.MustCompile(`<form method="post"([^>]*)>(.{0,40})`).
			FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(form[1], `action="/sign`) && !strings.HasPrefix(form[2], `{{template "secret"`) &&
				!strings.HasPrefix(form[2], "<button disabled hidden>") {
				t.Errorf("%s: Enter presses a button of %s", file, form[0])
			}
		}
	}
}

// TestEnterInFilters_AppliesThem presses Enter in fields of Today and of lists, with other filters in the address.
// Empty fields are not part of the address, apart from one whose default was deleted.
func TestEnterInFilters_AppliesThem(t *testing.T) {
	s := open(t)
	s.hostile(t)
	b := s.browse(t)
	for _, row := range golden.Rows(t, "testdata/filters.txt") {
		path, field, typed, search, seen := row[0], row[1], row[2], row[3], row[4]
		b.to(path)
		eval[string](b, `for (const fold of document.querySelectorAll("details:has(.find)")) fold.open = true; document.body.dataset.before = ""`)
		b.tab(field)
		eval[string](b, `document.activeElement.select(), ""`)
		b.do(key(cmp.Or(typed, "\b")))
		b.do(key("\r"))
		if search != "" {
			b.until(`!("before" in document.body.dataset) && (!document.querySelector("script[type=module]") || "done" in document.body.dataset)`)
		}
		if got := eval[string](b, `location.search`); !strings.HasSuffix(got, search) || search == "" && got != "" {
			t.Errorf("Enter in %s of %s leads to %q, want %q", field, path, got, search)
		}
		b.holds(t, "main", seen)
	}
	for width, shown := range map[int64]bool{1280: false, 390: true} { // headings sort on wide screens
		b.do(chromedp.EmulateViewport(width, 844))
		b.to("/decisions")
		is(b, `document.getElementById("sort").checkVisibility()`, shown)
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.tab("#sort")
	eval[string](b, `(document.activeElement.value = "-confidence", document.activeElement.dispatchEvent(new Event("change", { bubbles: true })), "")`)
	b.until(`location.search === "?sort=-confidence" && "done" in document.body.dataset && document.getElementById("sort").value === "-confidence"`)
	b.quiet()
}

func TestPages_RequestsOfOtherSites_AreRefused(t *testing.T) {
	s := open(t)
	client := s.client(t)
	_, _, text := s.as(t, client, "GET", s.invited("/"), "")
	if strings.Contains(text, "read-only") {
		t.Error("the invited caller may only read")
	}
	secret := pages.SecretOf(t, s.key, client, s.url)
	for name, attempt := range map[string]struct {
		form    url.Values
		headers []string
		want    int
	}{
		"nothing to do":  {url.Values{"secret": {secret}, "act": {"none"}}, nil, 404},
		"no secret":      {url.Values{"act": {"none"}}, nil, 403},
		"a wrong secret": {url.Values{"secret": {"x" + secret}, "act": {"none"}}, nil, 403},
		"another site": {url.Values{"secret": {secret}, "act": {"none"}}, []string{"Sec-Fetch-Site", "cross-site"},
			403},
		"another port": {url.Values{"secret": {secret}, "act": {"none"}}, []string{"Sec-Fetch-Site", "same-site"},
			403},
		"an older browser": {url.Values{"secret": {secret}, "act": {"none"}}, []string{"Origin", "http://127.0.0.1:1"},
			403},
		"a page of a frame": {url.Values{"secret": {secret}, "act": {"none"}}, []string{"Origin", "null"}, 403},
	} {
		if status, _, text := s.as(t, client, "POST", s.url+"/", attempt.form.Encode(),
			attempt.headers...); status != attempt.want {
			t.Errorf("%s: %d, want %d: %s", name, status, attempt.want, text)
		}
	}
	if status, _, _ := s.as(t, s.client(t), "POST", s.url+"/", url.Values{"secret": {secret}}.Encode()); status != 403 {
		t.Errorf("without the cookie: %d", status)
	}
}

// TestPages_Colors_HaveContrast checks a contrast of 4.5:1 between text and background in both color schemes (WCAG
// 2.2, 1.4.3).
func TestPages_Colors_HaveContrast(t *testing.T) {
	style := graphtest.Must(os.ReadFile("style/pages.css"))(t)
	schemes := [2]map[string]float64{{}, {}} // relative luminance by color name
	for _, found := range regexp.MustCompile(`--([a-z-]+): light-dark\(#(\w{6}), #(\w{6})\)`).
		FindAllStringSubmatch(string(style), -1) {
		for i := range schemes {
			rgb := graphtest.Must(strconv.ParseUint(found[2+i], 16, 32))(t)
			for shift, weight := range map[int]float64{16: 0.2126, 8: 0.7152, 0: 0.0722} {
				part := float64(rgb>>shift&0xff) / 255
				if part <= 0.04045 {
					part /= 12.92
				} else {
					part = math.Pow((part+0.055)/1.055, 2.4)
				}
				schemes[i][found[1]] += weight * part
			}
		}
	}
	for i, theme := range schemes {
		for _, pair := range []string{"on-strong strong", "text", "faint", "link", "strong", "success", "partial",
			"failure", "abandoned", "pending"} {
			text, on, named := strings.Cut(pair, " ")
			grounds := []string{on}
			if !named {
				grounds = []string{"ground", "raised"}
			}
			for _, ground := range grounds {
				a, ok := theme[text]
				b, also := theme[ground]
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); !ok || !also || ratio < 4.5 {
					t.Errorf("%s on %s in scheme %d: %.2f", text, ground, i, ratio)
				}
			}
		}
	}
}
