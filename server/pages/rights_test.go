package pages_test

import (
	"encoding/xml"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/server/pages"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// signedIn returns a client that signed in with a token.
func (s *site) signedIn(t *testing.T, token string) *http.Client {
	t.Helper()
	client := s.client(t)
	if status, _, text := s.as(t, onward(client), "POST", s.url+"/signin",
		url.Values{"token": {token}}.Encode()); status != http.StatusSeeOther {
		t.Fatalf("%s does not sign in: %d %s", token, status, text)
	}
	return client
}

var (
	versionInPage = regexp.MustCompile(`name="version" value="([^"]+)"`)
	planInPage    = regexp.MustCompile(`name="plan" value="([^"]+)"`)
	actInPage     = regexp.MustCompile(`name="act" value="([^"]+)"`)
)

// TestPages_Rights_DecideFormsAndContent posts every form of the table without and with the needed permission, and
// opens every page with few permissions.
func TestPages_Rights_DecideFormsAndContent(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	env := toolstest.App(t, g.DB)
	all := caller.Permissions
	s := serve(t, g, env, map[string]caller.Caller{
		"nmg_reader": {Name: "reader", Authenticated: true, Permissions: []caller.Permission{caller.Read}},
		"nmg_ada":    {Name: "ada", Authenticated: true, Permissions: all},
		"nmg_late":   {Name: "late", Authenticated: true, Permissions: all, Until: time.Now().Add(-time.Second)},
		"nmg_near": {Name: "near", Authenticated: true,
			Permissions: []caller.Permission{caller.Read, caller.Review, caller.Decide},
			Projects:    []string{"acme/shop"}},
	})
	id := s.hostile(t)
	policy, threshold := "/policy?"+url.Values{"name": {hostile[1]}}.Encode(), "/threshold?"+
		url.Values{"name": {hostile[0]}}.Encode()
	where := map[string]string{"table": "/tables/" + url.PathEscape(hostile[1]), "pack": "/packs/" +
		url.PathEscape(hostile[1]), "tokens": "/tokens", "imports": "/decisions?view=imports", "breakers": "/breakers",
		"today": "/", "decision": "/decisions/" + id, "policy": policy, "threshold": threshold,
		"propose": "/proposals?view=new&threshold=at_least&value=0.8"}
	waiting := func() string {
		asked, err := env.Sessions.Report(t.Context(),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"at": time.Now().String()},
				Caller: sessions.Caller{By: "grace"}})
		if err != nil || asked.ApprovalID == "" {
			t.Fatal(asked, err)
		}
		return asked.ApprovalID
	}
	filled := func(client *http.Client, page, act string) url.Values {
		form := url.Values{"act": {act}, "secret": {pages.SecretOf(t, s.key, client, s.url)}, "reason": {"because"},
			"outcome": {"success"}, "value": {"0.6"}, "mode": {"shadow"}, "project": {"acme/shop"},
			"confirmed": {"true"}, "for_seconds": {""}}
		if page == "today" {
			form.Set("approval", waiting())
		}
		if page == "imports" {
			form.Set("decision", id)
		}
		if page == "tokens" {
			form.Set("name", "bot-"+strconv.FormatInt(time.Now().UnixNano(), 10))
			if act != "create" {
				graphtest.Must(env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: form.Get("name"),
					By: "ada"}))(t)
			}
		}
		if page == "proposal" {
			form.Set("plan", "12345678") // the page's form sends the plan that it showed
		}
		if act == "undo" {
			g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.state = 'granted', a.effective_at = datetime() + duration('PT1H')", map[string]any{"uid": form.Get("approval")})
		}
		if act == "revert" {
			form.Set("to", time.Now().UTC().Format(time.RFC3339Nano))
		}
		return form
	}
	n := 0
	// placed returns the address of a page about something that an act can change.
	placed := func(page, act string) string {
		n++
		switch page {
		case "verdict":
			denied, err := env.Checks.CheckInSession(t.Context(),
				check.ActionCheck{Description: "Drop it", Stakes: "critical", AgentID: "grace", By: "grace"})
			if err != nil || denied.Allowed {
				t.Fatal(denied, err)
			}
			if act != "appeal" {
				graphtest.Must(env.Checks.Appeal(t.Context(), check.AppealRequest{ID: denied.VerdictID,
					Reason: "It is a copy", AgentID: "grace", By: "grace"}))(t)
			}
			return "/verdicts/" + denied.VerdictID
		case "proposal":
			made, err := env.Proposals.Propose(t.Context(),
				proposals.Creation{Change: lab.Change{Set: graph.Parameters{"at_least": 0.8 - float64(n)/100}},
					Reason: "Lower", Draft: act == "open", By: "grace"})
			if err == nil && act == "apply" {
				_, err = env.Proposals.Approve(t.Context(), proposals.Approval{Decision: proposals.Decision{Query: proposals.Query{ProposalID: made.ProposalID}, Reason: "Agreed", By: "mia"}})
			}
			graphtest.OK(t, err)
			return "/proposals/" + made.ProposalID
		case "exception":
			return "/exceptions/" + s.excepted(t, "grace", fmt.Sprint("refund", n), "Agreed")
		}
		return where[page]
	}
	reader, ada, late := s.signedIn(t, "nmg_reader"), s.signedIn(t, "nmg_ada"), s.signedIn(t, "nmg_late")
	t.Run("every form", func(t *testing.T) {
		for _, page := range pages.Table() {
			if len(page.Acts) > 0 && where[page.Name] == "" &&
				!slices.Contains([]string{"verdict", "proposal", "exception"}, page.Name) {
				t.Errorf("%s has forms without a test", page.Name)
			}
			acts := make([]string, 0, len(page.Acts))
			for act := range page.Acts {
				acts = append(acts, act)
			}
			slices.Sort(acts)
			for _, act := range acts {
				at := s.url + placed(page.Name, act)
				if _, _, text := s.as(t, reader, "GET", at, ""); slices.ContainsFunc(actInPage.FindAllStringSubmatch(text, -1), func(found []string) bool {
					return found[1] == act
				}) {
					t.Errorf("%s offers %s to a caller who may only read", page.Name, act)
				}
				if status, _, text := s.as(t, reader, "POST", at, filled(reader, page.Name, act).
					Encode()); status != 403 {
					t.Errorf("a caller who may only read does %s on %s: %d %s", act, page.Name, status, text)
				}
				form := filled(ada, page.Name, act)
				if page.Name == "proposal" && act == "approve" {
					_, _, text := s.as(t, ada, "GET", at, "")
					form.Set("plan", planInPage.FindStringSubmatch(text)[1])
				}
				if status, _, _ := s.as(t, reader, "POST", at, form.Encode()); status != 403 {
					t.Errorf("%s on %s succeeds with the secret of another session: %d", act, page.Name, status)
				}
				if status, _, _ := s.as(t, late, "POST", at, form.Encode()); status < 400 {
					t.Errorf("%s on %s succeeds with an ended session: %d", act, page.Name, status)
				}
				if act == "propose" && page.Name == "decision" || act == "reset" ||
					page.Name == "pack" { // these acts need a repository, a breaker, or a shipped pack
					continue
				}
				if status, _, text := s.as(t, ada, "POST", at, form.Encode()); status >= 400 {
					t.Errorf("%s on %s: %d %s", act, page.Name, status, text)
				}
			}
		}
		for _, of := range []struct{ query, is string }{
			{`MATCH (c:SYS_Change {name: $policy}) RETURN count(DISTINCT c.by) AS n`, "who changed the policy"},
			{`MATCH (p:SYS_Threshold {name: $threshold}) WHERE p.value = 0.6 OR p.value = 0.5 RETURN count(p) AS n`,
				"the value"},
		} {
			if rows := g.Rows(t, of.query, map[string]any{"policy": hostile[1],
				"threshold": hostile[0]}); rows[0]["n"].(int64) == 0 {
				t.Errorf("%s: got %v, want nonzero n", of.is, rows)
			}
		}
	})
	t.Run("two tabs change the same value", func(t *testing.T) {
		at := s.url + threshold + "&value=0.7"
		_, _, first := s.as(t, ada, "GET", at, "")
		_, _, second := s.as(t, ada, "GET", s.url+threshold+"&value=0.8", "")
		send := func(text, value string) (int, string) {
			version := versionInPage.FindStringSubmatch(text)
			if version == nil {
				t.Fatalf("no version in %s", text)
			}
			form := filled(ada, "threshold", "set")
			form.Set("version", version[1])
			form.Set("value", value)
			form.Set("reason", "it was too low")
			status, _, after := s.as(t, ada, "POST", at, form.Encode())
			return status, after
		}
		if status, text := send(second, "0.8"); status != 303 {
			t.Fatalf("the first change: got %d %s, want status=303", status, text)
		}
		status, text := send(first, "0.7")
		if status != 409 || !strings.Contains(text, `value="it was too low"`) ||
			!strings.Contains(text, "<del>0.8</del>") {
			t.Errorf(`the other: got %d %s, want status=409, text with "value="it was too low"", text with "<del>0.8</del>"`, status, text)
		}
		if status, text := send(text, "0.7"); status != 303 {
			t.Errorf("a caller who saw the current state: got %d %s, want status=303", status, text)
		}
	})
	t.Run("records outside the visibility of a caller are not shown", func(t *testing.T) {
		near := decisions.ExtraFields{Project: "acme/shop", Visibility: "project", AgentID: "near"}
		mine := toolstest.Record(t, env, decisions.Record{Decision: "Sell bicycles", Confidence: 0.6,
			ExtraFields: near}).ID
		var hidden []string
		for i, of := range []struct{ project, visibility string }{{"secret/lab", "project"}, {"acme/shop", "private"},
			{"secret/lab", "shared"}} {
			made := toolstest.Record(t, env, decisions.Record{Decision: "Unseen" + string(rune('A'+i)) + " bicycles",
				Confidence: 0.6,
				ExtraFields: decisions.ExtraFields{Project: of.project, Visibility: of.visibility, AgentID: "grace",
					Tags: []string{"unseen-tag"}, Pattern: "unseen-pattern"}}).ID
			toolstest.Link(t, env, made, "depends_on", mine)
			hidden = append(hidden, made)
		}
		graphtest.Must(env.Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: "Unseen action", Project: "secret/lab", AgentID: "grace", Stakes: "critical",
				By: "grace"}))(t)
		toolstest.WaitForWorkers(t, g)
		client := s.signedIn(t, "nmg_near")
		paths := []string{"/", "/today", "/today?contradictions=1", "/contradictions", "/today?reviews=1",
			"/reviews", "/decisions", "/decisions?q=bicycles", "/decisions?tag=unseen-tag", "/verdicts",
			"/sessions", "/feedback", "/calibration?by=project", "/graph?find=bicycles",
			"/graph?depth=3&show=agent&show=pattern&show=verdict&show=session&filters=1&node=" + mine,
			"/graph?lineage=dependents&plain=1&node=" + mine, "/graph?start=salient",
			"/impact?decision=" + mine, "/query?q=MATCH+(d:Decision)+RETURN+d", "/query/words?label=Decision",
			"/graph?node=" + mine + "&to=" + hidden[0], "/graph?node=" + mine + "&expand=agent:grace", "/graph?node=" +
				mine + "&select=agent:grace"}
		for _, one := range hidden {
			paths = append(paths, "/decisions/"+one, "/impact?decision="+one, "/graph?node="+one,
				"/graph/panel?select="+one, "/graph?node="+mine+"&expand="+one+"&select="+one)
		}
		for _, format := range []string{"svg", "mermaid", "dot", "json"} {
			paths = append(paths, "/graph/export?depth=3&node="+mine+"&format="+format)
		}
		for _, path := range paths {
			status, _, text := s.as(t, client, "GET", s.url+path, "")
			if status >= 500 || strings.Contains(text, "Unseen") || strings.Contains(text, "unseen-pattern\"") {
				t.Errorf("%s shows hidden data, %d: %s", path, status, text)
			}
		}
		if _, _, text := s.as(t, client, "GET", s.url+"/graph?plain=1&node="+mine, ""); !strings.Contains(text,
			"Sell bicycles") {
			t.Errorf("visible data is missing: %s", text)
		}
		if _, _, text := s.as(t, ada, "GET", s.url+"/graph?plain=1&node="+mine, ""); strings.Count(text,
			"Unseen") < len(hidden) {
			t.Errorf("a caller who may see all projects lacks data: %s", text)
		}
	})
	t.Run("pictures of hostile texts", func(t *testing.T) {
		_, _, svg := s.as(t, ada, "GET", s.url+"/graph/export?node="+id, "")
		decoder := xml.NewDecoder(strings.NewReader(svg))
		for {
			token, err := decoder.Token()
			if token == nil {
				break
			}
			graphtest.OK(t, err)
			if element, ok := token.(xml.StartElement); ok &&
				!slices.Contains([]string{"svg", "title", "desc", "g", "path", "text", "circle", "polygon", "rect",
					"style", "tspan", "line", "defs", "marker"}, element.Name.Local) {
				t.Errorf("the picture has a <%s>", element.Name.Local)
			}
		}
		for format, forbidden := range map[string]string{"mermaid": `"[^"\n]*"[^"\n]*"[^"\n]*"`,
			"dot": `[^\\]">[^;]*<img`} {
			_, _, text := s.as(t, ada, "GET", s.url+"/graph/export?format="+format+"&node="+id, "")
			if found := regexp.MustCompile(forbidden).FindString(text); found != "" ||
				strings.Contains(text, "<script>") && format == "mermaid" {
				t.Errorf("in %s, a text escapes from its element: %s\n%s", format, found, text)
			}
		}
	})
}

// TestPages_DatabaseLost_KeepFormInput disconnects the database while a page is open and checks that form input is not
// lost.
func TestPages_DatabaseLost_KeepFormInput(t *testing.T) {
	g := graphtest.New(t)
	id := toolstest.Some(t, g, "ab")
	toolstest.Link(t, toolstest.App(t, g.DB), id["b"], "depends_on", id["a"])
	proxy := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + proxy.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password})
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	s := serve(t, g, toolstest.OpenWithoutEmbedder(t, db), nil)
	client := s.client(t)
	if status, _, text := s.as(t, client, "GET", s.invited("/decisions/"+id["a"]), ""); status != 200 {
		t.Fatalf("got %d %s, want status=200", status, text)
	}
	b := s.browse(t)
	b.to("/graph?node=" + id["a"])
	proxy.StopListening()
	proxy.Cut()
	b.do(focused("#stage"), key("\r"))
	b.until(`document.querySelector("#notes [role=alert]")`)
	b.do(focused("#stage"), key("e"))
	b.until(`document.querySelectorAll("#notes [role=alert]").length === 1 && "done" in document.body.dataset`)
	if n := eval[int](b, `document.querySelectorAll("#stage canvas").length`); n == 0 {
		t.Error("the shown content is gone")
	}
	form := url.Values{"secret": {pages.SecretOf(t, s.key, client, s.url)}, "act": {"review"}, "outcome": {"success"},
		"lessons": {hostile[1] + "\nMeasure before"}}
	status, _, text := s.as(t, client, "POST", s.url+"/decisions/"+id["a"], form.Encode())
	remaining := regexp.MustCompile(`(?s)<textarea[^>]*name="lessons"[^>]*>([^<]*)</textarea>`).FindStringSubmatch(text)
	if status != 503 || remaining == nil || strings.TrimLeft(html.UnescapeString(remaining[1]), "\n") != hostile[1]+
		"\nMeasure before" || !strings.Contains(text, `name="act" value="review"`) {
		t.Errorf(`the submitted form: got %d %s, want status=503, non-nil remaining, strings.TrimLeft(html.UnescapeString(remaining[1]), "\n")=%v, text with "name="act" value="review""`, status, text, hostile[1]+"\nMeasure before")
	}
	if _, _, text := s.as(t, s.client(t), "POST", s.url+"/decisions/"+id["a"], form.Encode()); strings.Contains(text,
		"Measure before") {
		t.Errorf("input from another site is shown: %s", text)
	}
	proxy.Listen(t)
	status, _, text = s.as(t, onward(client), "POST", s.url+"/decisions/"+id["a"], form.Encode())
	for deadline := time.Now().Add(timeout); status == 503 && time.Now().
		Before(deadline); time.Sleep(50 * time.Millisecond) {
		status, _, text = s.as(t, client, "POST", s.url+"/decisions/"+id["a"], form.Encode())
	}
	graphtest.Equal(t, status, 303, "sent again: "+text)
}
