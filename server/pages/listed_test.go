package pages_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/server/pages"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// TestTable_Page_ShowsCellsAndHistory reads a table of a shipped pack: conditions, outputs, thresholds, and who
// changed it.
func TestTable_Page_ShowsCellsAndHistory(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "releases")
	b := s.browse(t)
	b.to("/more")
	b.follow(`main a[href="/policies?view=tables"]`)
	b.follow(`main a[href="/tables/R1_DETERMINE_release_readiness"]`)
	is(b, shownAt("h1"), "Release readiness")
	for _, want := range []string{"R1_R1", "inputs.tests_green", "rollout_percent_first", "always", "by test",
		"applied"} {
		b.holds(t, "main", want)
	}
	s.shows(t, "/tables/R1", "R1_DETERMINE_release_readiness")
	s.answers(t, "/tables/none", 404, "none")
	b.quiet()
	b.accessible()
}

// TestRuleLists_OwnDecisionTable_LinksToItsRules follows the names of decision tables that no node defines.
func TestRuleLists_OwnDecisionTable_LinksToItsRules(t *testing.T) {
	s := open(t)
	toolstest.Rules(t, s.graph, `(:SYS_Threshold {name: 'high', value: 0.5, decision_table: 'Our limits / 2026'}), (:SYS_Threshold {name: 'other', value: 0.5}),
		(:SYS_Policy {name: 'never', active: true, severity: 'block', message: 'Never', requires: 'false', decision_table: 'Our limits / 2026'})`)
	for path, want := range map[string]string{"/policies": "never", "/thresholds": "high"} {
		_, _, list := s.get(t, path)
		found := regexp.MustCompile(`<a href="([^"]+)">Our limits / 2026</a>`).FindStringSubmatch(list)
		if found == nil {
			t.Errorf("%s does not link its table: %s", path, list)
			continue
		}
		s.shows(t, html.UnescapeString(found[1]), ">"+want+"</a>", "!>other</a>")
	}
}

// TestPack_Page_ShowsModesDriftAndPreview reads a pack with an edited threshold, and previews the shipped version.
func TestPack_Page_ShowsModesDriftAndPreview(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "releases")
	toolstest.Set(t, s.env, "rollout_percent_first", 25.0)
	b := s.browse(t)
	b.to("/packs")
	b.holds(t, "table", "releases", "1 node", "block")
	b.follow(`main a[href="/packs/releases"]`)
	if shown := b.text("table"); !strings.Contains(shown, "rollouts-start-small") ||
		strings.Count(shown, "edited") != 1 {
		t.Errorf("the contents are %s", shown)
	}
	before := toolstest.Count(t, s.graph, "MATCH (c:SYS_Change) RETURN count(c)")
	b.pressed(`button[value="preview"]`)
	b.holds(t, "[role=status]", "keeps your edit of rollout_percent_first")
	graphtest.Equal(t, toolstest.Count(t, s.graph, "MATCH (c:SYS_Change) RETURN count(c)"), before,
		"changes after the preview")

	if _, header, text := s.get(t, "/packs/releases/file"); !strings.Contains(text, "pack: releases") ||
		!strings.Contains(header.Get("Content-Disposition"), "releases.yaml") {
		t.Errorf("the file is %v %s", header, text)
	}
	b.quiet()
	b.accessible()
}

// TestToken_CreatedOnThePage_IsShownOnce creates, rotates and revokes a token with the keyboard.
func TestToken_CreatedOnThePage_IsShownOnce(t *testing.T) {
	s := open(t)
	b := s.browse(t)
	b.to("/tokens")
	b.keyed("#new", "release-bot")
	b.tab(`input[value=decide]`)
	b.do(key(" "))
	b.keyed("#projects", "acme/shop, acme/api")
	b.keyed("#expires", "90d")
	b.pressed("form.narrow button")
	b.holds(t, "section.card", "release-bot will have the permissions read, decide in acme/shop, acme/api, for 90d")
	if list, err := s.env.Tokens.Tokens(t.Context(), tokens.Query{}); err != nil || list.Total != 0 {
		t.Fatalf("the preview made %+v %v", list, err)
	}
	b.pressed(`button[value="create"]`)
	secret := b.text("#secret code")
	if !strings.HasPrefix(secret, "nmg_") {
		t.Fatalf("the page shows %s", b.text("main"))
	}
	b.accessible()
	graphtest.Equal(t, toolstest.Count(t, s.graph,
		`MATCH (n) WHERE any(key IN keys(n) WHERE toStringOrNull(n[key]) CONTAINS '`+
			secret+`') RETURN count(n)`), 0, "nodes with the secret")

	list, err := s.env.Tokens.Tokens(t.Context(), tokens.Query{})
	if err != nil || list.Total != 1 || strings.Join(list.Tokens[0].Permissions, " ") != "read decide" ||
		strings.Join(list.Tokens[0].Projects, " ") != "acme/shop acme/api" || list.Tokens[0].CreatedBy != "ada" {
		t.Errorf(`got %+v %v, want Total=1, strings.Join(list.Tokens[0].Permissions, " ")="read decide", strings.Join(list.Tokens[0].Projects, " ")="acme/shop acme/api", CreatedBy=ada`, list, err)
	}
	b.to("/tokens")
	if strings.Contains(b.text("main"), secret) {
		t.Error("the secret is shown again")
	}
	b.follow(`a[href="/tokens?rotate=release-bot"]`)
	b.pressed(`button[value="rotate"]`)
	if again := b.text("#secret code"); !strings.HasPrefix(again, "nmg_") || again == secret ||
		!strings.Contains(b.text("#secret"), "The old secret works until") {
		t.Errorf(`after the rotation: got %s, want again that starts with nmg_, again other than %v, b.text("#secret") with "The old secret works until"`, b.text("#secret"), secret)
	}
	b.to("/tokens?revoke=release-bot")
	b.keyed("#reason", "No longer used")
	b.pressed(`button[value="revoke"]`)
	graphtest.Contains(t, b.text("main"), "No tokens yet")
	b.to("/tokens?all=yes&name=release-bot")
	if shown := b.text("main"); strings.Count(shown, "No longer used") != 2 ||
		!strings.Contains(shown, "No calls in the last 90 days") {
		t.Errorf("the list of all shows %s", shown)
	}
	s.answers(t, "/tokens?"+url.Values{"rotate": {"release-bot"}}.Encode(), 404)
	b.do(chromedp.EmulateViewport(390, 844))
	is(b, widerThanScreen, "")
	b.quiet()
	b.accessible()
}

// TestAudit_Page_FiltersAndExports lists changes by author and kind, and downloads them.
func TestAudit_Page_FiltersAndExports(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "releases")
	graphtest.Must(s.env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: "release-bot", By: "=ada"}))(t)
	b := s.browse(t)
	b.to("/audit")
	b.holds(t, "table", "release-bot", "R1_DETERMINE_release_readiness")
	b.tab("#kind")
	b.do(key("to"))
	b.until(`location.search.includes("kind=token") && "done" in document.body.dataset`) // a choice applies itself
	b.pressed(".find button")
	b.holds(t, "table", "release-bot", "!R1_DETERMINE")
	b.accessible()
	b.quiet()
	if _, _, text := s.get(t, "/audit?format=csv&kind=token"); strings.Count(text, "\n") != 2 ||
		!strings.Contains(text, "\nrelease-bot,token,created,'=ada,read") {
		t.Errorf("the CSV is %s", text)
	}
	s.shows(t, "/audit?format=json&by=test", `"action":"applied"`, "!release-bot")
	s.answers(t, "/audit?format=xls", 400)
}

// TestAtlas_Page_ShowsContexts reads a loaded atlas with its contexts and history.
func TestAtlas_Page_ShowsContexts(t *testing.T) {
	s := open(t)
	s.call(t, "ada", "load_atlases", `{"atlases": [{"name": "chrystallum"}]}`)
	s.call(t, "ada", "cra_start_session", `{"goal": "Promote what was claimed of the year 1066", "atlas_hints": ["chrystallum"]}`)
	s.call(t, "ada", "cra_request_context", `{"need": "when is a claim promoted"}`)
	b := s.browse(t)
	b.to("/atlases")
	b.holds(t, "main", "Agents that received contexts")
	b.follow(`main a[href^="/atlases/"][href*="chrystallum"]`)
	b.click("details.card summary")
	b.holds(t, "details.card", "chrystallum-", "given")
	b.accessible()
	b.quiet()
	s.answers(t, "/atlases/none", 404)
}

// TestImports_Selected_AreReviewedTogether reviews imported decisions with the keyboard: summary first, then the
// reviews, and a failure among successes.
func TestImports_Selected_AreReviewedTogether(t *testing.T) {
	s := open(t)
	var ids []string
	for _, text := range []string{"Store orders in files", "Read orders nightly", "Copy orders weekly",
		"Use another disk"} {
		ids = append(ids, toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.7}).ID)
	}
	s.graph.Exec(t, `MATCH (d:Decision) WHERE d.decision <> 'Use another disk' SET d.source = 'adr', d.external_id = d.decision`, nil)
	state := func() string {
		t.Helper()
		return fmt.Sprint(s.graph.Rows(t, `MATCH (d:Decision) RETURN d.decision AS d, d.outcome AS o, d.confidence AS c ORDER BY d`, nil))
	}
	b := s.browse(t)
	b.to("/imports")
	b.holds(t, "table", "!Use another disk", "Copy orders weekly")
	before := state()
	for _, id := range ids[:2] {
		b.tab(`input[value="` + id + `"]`)
		b.do(key(" "))
	}
	b.tab("#outcome")
	b.do(key("s"))
	b.keyed("#confidence", "0.9")
	b.pressed(`button[value="preview"]`)
	b.holds(t, "#summary", "2 reviews with the outcome success", "0.7 → 0.9", "Read orders nightly")
	if after := state(); after != before {
		t.Errorf("the summary changed %[2]s to %[1]s", after, before)
	}
	b.accessible()
	toolstest.Review(t, s.env, ids[0], "failure") // another person reviews the decision first
	b.pressed(`button[value="apply"]`)
	b.holds(t, "#summary", "Reviewed: 1 of 2", "The decision has a review now")
	for id, want := range map[string]string{ids[0]: "failure 0.7", ids[1]: "success 0.9", ids[2]: "<nil> 0.7"} {
		rows := s.graph.Rows(t, `MATCH (d:Decision {id: $id}) RETURN d.outcome AS o, d.confidence AS c`,
			map[string]any{"id": id})
		graphtest.Equal(t, fmt.Sprint(rows[0]["o"], " ", rows[0]["c"]), want, id)
	}
	b.quiet()
	b.to("/imports")
	b.tab("#outcome")
	b.do(key("s"))
	b.pressed(`button[value="preview"]`) // answered with the status 400, which the console reports
	if !strings.Contains(b.text("[role=alert]"), "No decisions are selected") {
		t.Errorf(`nothing selected: got %s, want b.text("[role=alert]") with "No decisions are selected"`,
			b.text("main"))
	}
	b.accessible()
}

// TestImports_OlderThanOtherDecisions_AreAllListed has 600 newer decisions that nobody imported, and more imports than
// one page shows.
func TestImports_OlderThanOtherDecisions_AreAllListed(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `UNWIND range(1, 720) AS i CREATE (d:Decision {uid: 'd-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide on part ' + i, category: 'process', stakes: 'low', status: 'pending',
		confidence: 0.5, created_at: datetime('2026-01-01T00:00:00Z') + duration({hours: i})}) FOREACH (_ IN CASE WHEN i <= 120 THEN [1] ELSE [] END | SET d.source = 'adr', d.external_id = toString(i))`, nil)
	client := s.client(t)
	_, _, first := s.as(t, client, "GET", s.invited("/imports"), "")
	if !strings.Contains(first, "120 imported decisions without a review, 100 on this page") ||
		strings.Count(first, `name="decision"`) != 100 {
		t.Fatalf("the first page is %s", first)
	}
	older := regexp.MustCompile(`href="(/decisions\?cursor=[^"]+)" rel="next">Older<`).FindStringSubmatch(first)
	if older == nil {
		t.Fatalf("the first page leads to no other: %s", first)
	}
	at := s.url + html.UnescapeString(older[1])
	_, _, second := s.as(t, client, "GET", at, "")
	if strings.Count(second, `name="decision"`) != 20 || strings.Contains(second, ">Older<") {
		t.Fatalf("the second page is %s", second)
	}
	form := url.Values{"act": {"apply"}, "all": {"yes"}, "outcome": {"success"},
		"secret": {pages.SecretOf(t, s.key, client, s.url)}}
	if status, _, text := s.as(t, client, "POST", at, form.Encode()); status != 200 ||
		!strings.Contains(text, "Reviewed: 20 of 20") {
		t.Errorf(`all of the page: got %d %s, want status=200, text with "Reviewed: 20 of 20"`, status, text)
	}
	graphtest.Equal(t, toolstest.Count(t, s.graph,
		"MATCH (d:Decision {outcome: 'success'}) WHERE toInteger(d.external_id) <= 20 RETURN count(d)"), 20,
		"reviewed of the 20 oldest imports")
}

// TestAdminForms_IncompleteInput_IsRefused posts forms, without a browser, that would do more than a person sees if the
// server accepted them.
func TestAdminForms_IncompleteInput_IsRefused(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	made := graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Set: graph.Parameters{proposedThreshold: 0.9}}, Reason: "Higher",
			By: "grace"}))(t)
	s.graph.Exec(t, `UNWIND range(1, 10001) AS i CREATE (:SYS_Change {uid: toString(i), at: datetime('2020-01-01') + duration({seconds: i}), label: 'SYS_Policy', name: 'old', kind: 'applied', by: 'zoe'})`, nil)
	client := s.client(t)
	s.as(t, client, "GET", s.invited("/"), "")
	secret := pages.SecretOf(t, s.key, client, s.url)
	for name, c := range map[string]struct {
		path string
		form url.Values
		want string
	}{
		"a comma as projects": {"/tokens", url.Values{"act": {"create"}, "name": {"bot"}, "projects": {","}},
			"projects is empty"},
		"blanks as projects": {"/tokens", url.Values{"act": {"create"}, "name": {"bot"}, "projects": {"  "}},
			"projects is empty"},
		"no plan": {"/proposals/" + made.ProposalID, url.Values{"act": {"approve"}, "reason": {"Agreed"}},
			"Reload the page"},
		"a blank plan": {"/proposals/" + made.ProposalID,
			url.Values{"act": {"approve"}, "reason": {"Agreed"}, "plan": {"        "}}, "is blank"},
	} {
		c.form.Set("secret", secret)
		if status, _, text := s.as(t, client, "POST", s.url+c.path, c.form.Encode()); status != 400 ||
			!strings.Contains(text, c.want) {
			t.Errorf("%s: got %d %s, want 400 and %q", name, status, text, c.want)
		}
	}
	graphtest.Equal(t, graphtest.Must(s.env.Tokens.Tokens(t.Context(), tokens.Query{}))(t).Total, 0, "tokens")
	s.answers(t, "/audit?format=csv&by=zoe", 400, "Set Since and Until")
	if status, _, text := s.get(t, "/audit?format=csv&by=zoe&date_after=2020-01-01T00:00:02Z"); status != 200 ||
		strings.Count(text, "\n") != 10001 {
		t.Errorf("10,000 entries: got %d and %d lines, want 200 and a header before them", status,
			strings.Count(text, "\n"))
	}
}

// TestVerdicts_Facets_CountValues counts verdicts, not the decisions of the same agents.
func TestVerdicts_Facets_CountValues(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	for _, agent := range []string{"ada", "grace", "grace"} {
		graphtest.Must(s.env.Checks.CheckInSession(t.Context(), check.ActionCheck{Description: "Deploy the shop",
			Context: graph.Parameters{"affectsProduction": true, "buildPassed": agent == "ada"}, AgentID: agent,
			By: agent}))(t)
	}
	for range 4 {
		toolstest.Record(t, s.env, decisions.Record{Decision: "Store orders in files", Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{AgentID: "ada"}})
	}
	toolstest.WaitForWorkers(t, s.graph)
	for path, wants := range map[string][]string{
		"/verdicts": {`value="ada">ada (5)`, `value="grace">grace (2)`, `value="denied">denied (3)`,
			`value="allowed">allowed (4)`, `value="no-deploy-on-red-build">no-deploy-on-red-build (2)`},
		"/verdicts?result=denied": {`value="grace">grace<`, `value="denied" selected>denied<`},
		"/decisions":              {`value="ada">ada (4)`},
	} {
		_, _, page := s.get(t, path)
		graphtest.Contains(t, page, wants...)
	}
}
