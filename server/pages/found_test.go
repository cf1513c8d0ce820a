package pages_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/server/pages"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

var titleInList = regexp.MustCompile(`<a (?:class="decision" )?href="/decisions/\w+"[^>]*>([^<]*)</a>`)

// titles returns the titles of the decisions that a page lists.
func titles(page string) string {
	var all []string
	for _, found := range titleInList.FindAllStringSubmatch(page, -1) {
		all = append(all, found[1])
	}
	return strings.Join(all, ", ")
}

func TestDecisions_SearchWithFilters_AppliesBoth(t *testing.T) {
	s := open(t)
	for _, d := range []struct{ text, project, agent, category, stakes, pattern, reason, tag string }{
		{"Store orders in PostgreSQL", "acme/shop", "ada", "architecture", "high", "Boring storage", "analysis", "db"},
		{"Store invoices in PostgreSQL", "acme/books", "bob", "process", "low", "Other storage", "empirical", "money"},
	} {
		toolstest.Record(t, s.env, decisions.Record{Decision: d.text, Confidence: 0.7, Category: d.category,
			Stakes: d.stakes, ExtraFields: decisions.ExtraFields{Project: d.project, AgentID: d.agent,
				Pattern: d.pattern,
				Tags:    []string{d.tag}, Reasons: []decisions.Reason{{Type: d.reason, Text: "It was looked at"}}}})
	}
	toolstest.WaitForWorkers(t, s.graph)
	if _, _, page := s.get(t, "/decisions?q=store+in+PostgreSQL"); !strings.Contains(titles(page), "orders") ||
		!strings.Contains(titles(page), "invoices") {
		t.Fatalf("the search finds %s", titles(page))
	}
	for _, filter := range []string{"project=acme/shop", "agent_id=ADA", "category=architecture", "stakes=high",
		"pattern=boring+storage", "reason_type=analysis", "tag=db", "min_confidence=0.6&project=acme/shop",
		"status=pending&tag=db", "date_after=2020-01-01&agent_id=ada"} {
		_, _, page := s.get(t, "/decisions?q=store+in+PostgreSQL&"+filter)
		graphtest.Equal(t, titles(page), "Store orders in PostgreSQL", fmt.Sprint("found with ", filter))
	}
	for _, filter := range []string{"outcome=failure", "min_confidence=0.9", "date_before=2020-01-01", "project=none"} {
		_, _, page := s.get(t, "/decisions?q=store+in+PostgreSQL&"+filter)
		if got := titles(page); got != "" || !strings.Contains(page, "No decision matches “store in PostgreSQL”") {
			t.Errorf("with %s, the search finds %q: %s", filter, got, page)
		}
	}
	b := s.browse(t) // the form submits all its fields
	b.to("/decisions?q=PostgreSQL&date_after=2020-01-01&pattern=boring+storage")
	b.fill("#project", "acme/shop")
	b.follow(`details button`)
	graphtest.Contains(t, eval[string](b, "location.search"), "q=PostgreSQL",
		"date_after=2020-01-01", "pattern=boring", "project=acme")

	b.fill("#q", "orders")
	b.follow(`form[role=search] button`)
	graphtest.Contains(t, eval[string](b, "location.search"), "project=acme",
		"q=orders")

	b.quiet()
}

// ruled creates a policy that reads two thresholds, one of them in a scope, and a verdict of that policy.
func (s *site) ruled(t *testing.T) {
	t.Helper()
	toolstest.Rules(t, s.graph, `(:SYS_Policy {name: 'be-sure', active: true, severity: 'block', message: 'Be sure', requires: 'has(action.confidence) && action.confidence >= threshold("least_sure") && action.confidence <= threshold("most_sure", project)'}),
		(:SYS_Threshold {name: 'least_sure', value: 0.9, unit: 'ratio'}), (:SYS_Threshold {name: 'most_sure', value: 1.0, unit: 'ratio'})`)
}

func TestPolicyPages_ThresholdsOfARule_AreShown(t *testing.T) {
	s := open(t)
	s.ruled(t)
	s.shows(t, "/policy?name=be-sure", `href="/threshold?name=least_sure"`, `href="/threshold?name=most_sure"`,
		"0.9 ratio")
	s.shows(t, "/policies", `href="/threshold?name=least_sure"`, `href="/threshold?name=most_sure"`)
	s.shows(t, "/threshold?name=most_sure", `href="/policy?name=be-sure"`)
	s.shows(t, "/graph?plain=1&node=policy:be-sure", "threshold: ", "least_sure")
}

func TestGraphSearch_AnyKindOfNode_IsFound(t *testing.T) {
	s := open(t)
	made := toolstest.Record(t, s.env, decisions.Record{Decision: "Sell bicycles to ducks", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{AgentID: "grace", Pattern: "Two wheels"}})
	s.ruled(t)
	verdict := graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Ride", Confidence: new(0.2), AgentID: "grace", By: "grace"}))(t)
	toolstest.WaitForWorkers(t, s.graph)
	session := s.graph.Rows(t, "MATCH (s:Session) RETURN s.uid AS uid LIMIT 1", nil)[0]["uid"].(string)
	for find, want := range map[string]string{
		"be-sure": `aria-current="true">be-sure</a>`, "policy:be-sure": `aria-current="true">be-sure</a>`,
		"be sure": `>be-sure</a>`, "least_sure": `aria-current="true">least_sure</a>`, "LEAST": `>least_sure</a>`,
		"bicycles": `aria-current="true">Sell bicycles to ducks</a>`,
		made.ID:    `aria-current="true">Sell bicycles to ducks</a>`, "grace": `href="/agent?name=grace">grace</a>`,
		"two wheels":      `pattern</span> <a href="/decisions?pattern=`,
		verdict.VerdictID: `href="/verdicts/` + verdict.VerdictID, session: `href="/session?id=` + session,
	} {
		status, _, page := s.get(t, "/graph?"+url.Values{"find": {find}}.Encode())
		if status != 200 || !strings.Contains(page, want) {
			_, found, _ := strings.Cut(page, `id="found"`)
			t.Errorf("%q does not find %s: %d %.900s", find, want, status, found)
		}
	}
	s.shows(t, "/graph?find=policy:none", "No decision, policy, threshold, agent, pattern, verdict or session matches “policy:none”", `!id="stage"`)
	s.shows(t, "/graph?find=policy:none&node="+made.ID, "matches “policy:none”")
}

func TestGraphList_Links_OpenNeighbors(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	for _, query := range []string{"", "&plain=1"} {
		_, _, page := s.get(t, "/graph?depth=1&show=agent&node="+id["a"]+query)
		_, list, _ := strings.Cut(page, `id="list"`)
		graphtest.Contains(t, list, "← depends on <a", "depends on → <a", `select=`+id["b"]+
			`&amp;show=agent">Decide b</a>`, `href="/agent?name=bob"`, "made → <a")
	}
	toolstest.Link(t, s.env, id["4"], "relates_to", id["d"])
	toolstest.Link(t, s.env, id["d"], "relates_to", id["4"])
	_, _, related := s.get(t, "/graph/panel?select="+id["4"])
	graphtest.Equal(t, strings.Count(related, "Decide d<"), 1,
		"times a decision related in both directions is listed: "+related)

	_, _, page := s.get(t, "/graph?plain=1&depth=1&select="+id["b"]+"&node="+
		id["a"]) // without JavaScript, buttons are links
	for act, want := range map[string]string{"expand": "expand=" + id["b"], "path": "to=" + id["b"]} {
		found := regexp.MustCompile(`data-act="` + act + `"[^>]*href="([^"]+)"`).FindStringSubmatch(page)
		if found == nil || !strings.Contains(found[1], want) || !strings.Contains(found[1], "node="+id["a"]) {
			t.Errorf("without a script, %s leads to %v", act, found)
		}
	}
}

func TestGraph_AutomaticLinks_AreShownOnlyIfAsked(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	s.graph.Exec(t, "MATCH (a:Decision {id: $a}), (b:Decision {id: $b}) CREATE (a)-[:RELATES_TO {auto: true, created_at: datetime()}]->(b)", map[string]any{"a": id["a"], "b": id["4"]})
	for query, want := range map[string]bool{"": false, "&automatic=1": true} {
		if _, _, page := s.get(t, "/graph?depth=1&node="+id["a"]+query); strings.Contains(page, "Decide 4") != want {
			t.Errorf("%q: got an automatic link %v, want %v", query, !want, want)
		}
	}
}

func TestApprovals_Precedents_AreShown(t *testing.T) {
	s := open(t)
	s.env.Sessions.ApprovalDelay = 0
	ask := func(amount int64) sessions.Reported {
		t.Helper()
		asked, err := s.env.Sessions.Report(t.Context(),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": amount},
				Caller: sessions.Caller{By: "grace"}})
		if err != nil || asked.ApprovalID == "" {
			t.Fatal(asked, err)
		}
		return asked
	}
	first := ask(100)
	s.shows(t, "/?approval="+first.ApprovalID, "No earlier request for this action was answered")
	graphtest.Must(s.env.Sessions.Reject(t.Context(),
		sessions.Answer{ApprovalID: first.ApprovalID, Reason: "It was paid already", By: "ada"}))(t)
	waiting := ask(120)
	_, _, page := s.get(t, "/?approval="+waiting.ApprovalID)
	graphtest.Contains(t, page, "Earlier answers for this action", "rejected", "by ada", "It was paid already",
		"needs approval")

	_, _, page = s.get(t, "/verdicts/"+waiting.VerdictID)
	if !strings.Contains(page, "<title>Needs approval: ") || !strings.Contains(page, `href="/#approvals"`) ||
		strings.Contains(page, "<title>Denied: ") {
		t.Errorf(`a pending request: got %s, want page with "<title>Needs approval: ", page with "href="/today#approvals"", page without "<title>Denied: "`, page)
	}
	if _, _, page = s.get(t, "/verdicts/"+first.VerdictID); !strings.Contains(page,
		"rejected it: It was paid already") {
		t.Errorf(`a rejected request: got %s, want page with "rejected it: It was paid already"`, page)
	}
	toolstest.Rules(t, s.graph, `(:SYS_Policy {name: 'ask-first', active: true, severity: 'approve', message: 'Ask first', applies_when: 'action.name == "deploy.now"', requires: 'false'}), (:SYS_Policy {name: 'never', active: true, severity: 'block', message: 'Never', applies_when: 'action.name == "drop.table"', requires: 'false'})`)
	for action, want := range map[string]string{"deploy.now": "Needs approval", "drop.table": "Denied"} {
		v := graphtest.Must(s.env.Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: action, Name: action, By: "grace"}))(t)
		s.shows(t, "/verdicts/"+v.VerdictID, "<title>"+want+": "+action)
	}
}

// TestToday_ReviewNext_ListsMostInformativeDecisions: the script loads the reviews, and without a script a link opens
// them.
func TestToday_ReviewNext_ListsMostInformativeDecisions(t *testing.T) {
	s := open(t)
	s.shows(t, "/reviews", "No unreviewed decision of the last 30 days")
	s.graph.Exec(t, `UNWIND range(1, 9) AS i
		CREATE (v:Verdict {uid: 'v' + i, at: datetime() - duration({minutes: i}), allowed: true, agent: 'bo', stakes: 'high', inputs: '{"description":"x"}', inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + i, masked: [],
			applied: ['<i>warns</i>'], applied_results: ['violated'], results: '{}', session: 's' + i, description: 'Widen <b>region</b> ' + i})
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: 'abcdef0' + i, decision: 'Widen', agent: 'bo', created_at: v.at})`, nil)
	for _, path := range []string{"/reviews", "/today?reviews=1"} {
		s.shows(t, path, `href="/decisions/abcdef0`, "Widen &lt;b&gt;region", "rule &lt;i&gt;warns",
			"2 reviews would show whether")
	}
	s.shows(t, "/today", `data-later="/reviews?`)
	defer pages.WithPreviewTime(time.Nanosecond)()
	s.shows(t, "/reviews?project=acme%2Fshop", `<a href="/?project=acme%2Fshop&amp;reviews=1">`)
}

func TestDecisionPage_ImportedReview_IsShownAfterTheDecision(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `CREATE (d:Decision {uid: 'imported', id: 'abcdef01', decision: 'Use queues', agent: 'ada', confidence: 0.7, category: 'process', stakes: 'low', status: 'reviewed', outcome: 'success', source: 'old/records',
		created_at: datetime('2024-01-10T00:00:00Z'), recorded_at: datetime('2026-03-01T00:00:00Z')})-[:HAS_REVIEW]->(:Review {uid: 'r', number: 1, outcome: 'success', in_force: true, at: datetime('2024-06-01T00:00:00Z'), by: 'import'}),
		(e:Decision {uid: 'early', id: 'abcdef02', decision: 'Use topics', agent: 'ada', confidence: 0.7, category: 'process', stakes: 'low', status: 'reviewed', outcome: 'success', source: 'old/records',
		created_at: datetime('2024-01-10T00:00:00Z'), recorded_at: datetime('2024-01-10T00:00:00Z')})-[:HAS_REVIEW]->(:Review {uid: 'r2', number: 1, outcome: 'success', in_force: true, at: datetime('2024-01-10T00:00:00Z'), by: 'import'})`, nil)
	kinds := regexp.MustCompile(`<li><time[^>]*>([^<]*)</time> <strong>(\w+)</strong>`)
	for id, want := range map[string]string{"abcdef01": "2026-03-01 imported, 2024-06-01 reviewed, 2024-01-10 decided",
		"abcdef02": "2024-01-10 reviewed, 2024-01-10 imported, 2024-01-10 decided"} {
		_, _, page := s.get(t, "/decisions/"+id)
		var got []string
		for _, found := range kinds.FindAllStringSubmatch(page, -1) {
			got = append(got, found[1]+" "+found[2])
		}
		graphtest.Equal(t, strings.Join(got, ", "), want, "found")
	}
}
