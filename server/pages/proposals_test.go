package pages_test

import (
	"fmt"
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
	"nomograph/tools/toolstest"
)

// browseAs opens a tab of another visitor who came through `nomograph open`.
func (s *site) browseAs(t *testing.T, name string) *tab {
	t.Helper()
	b := s.stranger(t)
	b.open(s.url + pages.WithInvitation("/more", pages.Invitation(s.key, strings.TrimPrefix(s.url, "http://"), name)))
	return b
}

// proposed creates a proposal, an appeal and an exception with hostile texts, after governed.
func (s *site) proposed(t *testing.T, because string) {
	t.Helper()
	graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Mode: graph.Parameters{hostile[1]: "shadow"}}, Reason: hostile[0] +
			"\n\n[here](javascript:alert(1)) ![x](data:text/html,a) <img src=x onerror=alert(1)>",
			Because: []string{because}, Project: hostile[2], By: hostile[4]}))(t)
	denied, err := s.env.Checks.Verdicts(t.Context(), check.VerdictFilter{Rule: hostile[1]})
	if err != nil || len(denied.Verdicts) == 0 {
		t.Fatal(denied, err)
	}
	graphtest.Must(s.env.Checks.Appeal(t.Context(),
		check.AppealRequest{ID: denied.Verdicts[0].VerdictID, Reason: hostile[0] + hostile[1], AgentID: hostile[1],
			By: hostile[1]}))(t)
	s.excepted(t, hostile[2], hostile[3], hostile[1])
}

// excepted approves an action of an agent for an hour, and returns the id of the exception.
func (s *site) excepted(t *testing.T, agent, action, reason string) string {
	t.Helper()
	asked, err := s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: action, Params: graph.Parameters{"amount": int64(900), "order": reason},
			Caller: sessions.Caller{By: agent}})
	if err != nil || asked.ApprovalID == "" {
		t.Fatal(asked, err)
	}
	made := graphtest.Must(s.env.Sessions.Approve(t.Context(),
		sessions.Grant{Answer: sessions.Answer{ApprovalID: asked.ApprovalID, Reason: reason, By: "mia"},
			ForSeconds: 3600}))(t)
	return made.ApprovalID
}

const proposedThreshold = "high_stakes_min_confidence"

// TestJob_Proposal_IsMadeApprovedAndApplied changes a threshold with two people, by the keyboard only.
func TestJob_Proposal_IsMadeApprovedAndApplied(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	because := ""
	for i := range 12 {
		confidence, outcome := 0.95, "success"
		if i%3 == 0 {
			confidence, outcome = 0.7, "failure"
		}
		made := toolstest.Record(t, s.env, decisions.Record{Decision: fmt.Sprintf("Move shard %d", i),
			Confidence: confidence, Stakes: "high", Category: "architecture",
			ExtraFields: decisions.ExtraFields{AgentID: "grace", Project: "acme/shop"}})
		if i < 9 {
			toolstest.Review(t, s.env, made.ID, outcome)
		}
		because = made.ID
	}
	toolstest.WaitForWorkers(t, s.graph)
	ada, mia := s.browse(t), s.browseAs(t, "mia")
	values := []string{"0.8", "0.85"}
	for i, size := range [][2]int64{{1440, 900}, {390, 844}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			for _, b := range []*tab{ada, mia} {
				b.do(chromedp.EmulateViewport(size[0], size[1]))
			}
			narrow := func(b *tab) {
				t.Helper()
				is(b, widerThanScreen, "")
				b.quiet()
				b.accessible()
			}
			ada.to("/threshold?name=" + proposedThreshold)
			ada.keyed("#value", values[i])
			ada.pressed(`form[action="/threshold#change"] button`)
			ada.pressed(`a[href^="/proposals?"]`)
			ada.holds(t, "main", "to "+values[i], []string{"failures stopped", "No answer changes"}[i])
			narrow(ada)
			ada.keyed("#reason", "Three of them **failed**")
			ada.keyed("#because", because)
			ada.pressed(`button[value=propose]`)
			shown := ada.text("main")
			want := []string{proposedThreshold, values[i], "Three of them failed",
				"You made this proposal, so another person has to approve it.", "Move shard 11", "recorded acts"}
			if i == 0 {
				want = append(want, "Newly denied: failures stopped\t3", "Newly denied: successes blocked\t0",
					"Newly denied: unknown, not reviewed\t1", "with success or failure: 100\u00a0% (",
					" to 100\u00a0%)", "If all unreviewed acts had succeeded or failed: 75\u00a0% to 100\u00a0%")
			}
			graphtest.Contains(t, shown, want...)
			is(ada, `document.querySelector("button[value=approve]").disabled && !document.querySelector("button[value=reject]").disabled`, true, "the proposer is offered the approval")
			narrow(ada)
			path := eval[string](ada, "location.pathname")
			ada.to("/today")
			is(ada, shownAt("#pending"), "NOTHING IS THERE")

			mia.to("/today")
			if badge, counter := mia.text("#pending"), mia.text(`#open-proposals`); !strings.HasPrefix(badge, "1") ||
				!strings.HasSuffix(counter, " 1") {
				t.Errorf("the menu counts %q, the counter %q", badge, counter)
			}
			narrow(mia)
			mia.pressed(`#open-proposals-list a[href="` + path + `"]`)
			is(mia, `(() => { const [a, d] = ["approve", "reject"].map((act) => getComputedStyle(document.querySelector("button[value=" + act + "]"))); return ["backgroundColor", "color", "borderColor", "fontWeight"].every((name) => a[name] === d[name]); })()`, true, "Approve and Reject do not look equal")
			eval[string](mia, `document.body.dataset.sent = ""; addEventListener("submit", () => { document.body.dataset.sent = "yes" }); ""`)
			mia.keyed("#reason", "It stops what failed")
			mia.do(key("\r"))
			is(mia, `document.body.dataset.sent`, "", "Enter submits the answer")
			mia.pressed(`button[value=approve]`)
			mia.holds(t, "main", "Approved by mia", "It stops what failed")
			narrow(mia)
			mia.pressed(`button[value=apply]`)
			if shown := mia.text("main"); !strings.Contains(shown, "Applied by mia") ||
				eval[bool](mia, `Boolean(document.querySelector("main form"))`) {
				t.Errorf("after applying: got %s", shown)
			}
			narrow(mia)
			graphtest.Equal[any](t, s.graph.Rows(t,
				"MATCH (t:SYS_Threshold {name: $name}) RETURN toString(t.value) AS value",
				map[string]any{"name": proposedThreshold})[0]["value"], values[i], "the value")
		})
	}

	t.Run("a stale proposal is not applied", func(t *testing.T) {
		made := graphtest.Must(s.env.Proposals.Propose(t.Context(),
			proposals.Creation{Change: lab.Change{Set: graph.Parameters{proposedThreshold: 0.9}}, Reason: "Higher",
				By: "ada"}))(t)
		path := "/proposals/" + made.ProposalID
		mia.to(path)
		mia.keyed("#reason", "Agreed")
		toolstest.Set(t, s.env, proposedThreshold, 0.75)
		ada.to(path)
		ada.holds(t, "main", "must be replayed and approved again")
		ada.pressed(`button[value=open]`)
		ada.holds(t, "main", "0.75", "another person has to approve it")
		mia.pressed(`button[value=approve]`) // on the page of the earlier replay
		mia.holds(t, "[role=alert]", "replayed again")
		toolstest.Set(t, s.env, proposedThreshold, 0.76)
		mia.pressed(`button[value=approve]`) // now on the page of the second replay
		mia.holds(t, "[role=alert]", "stale")
		ada.to(path)
		ada.pressed(`button[value=withdraw]`)
		ada.holds(t, "main", "withdrawn")
	})

	t.Run("list, tuning and replay", func(t *testing.T) {
		b := s.stranger(t) // without scripts, a visitor who may only look
		b.withoutScripts()
		b.to("/proposals?state=applied")
		if n := eval[int](b, `document.querySelectorAll("tbody tr").length`); n != 2 ||
			!strings.Contains(b.text("main"), "withdrawn") {
			t.Errorf("%d proposals are applied: %s", n, b.text("main"))
		}
		b.to("/proposals?state=rejected")
		b.holds(t, "main", "No proposal matches these filters")
		ada.to("/tuning?name=" + proposedThreshold)
		ada.pressed(`td a[href^="/proposals?"][href*="value=0.95"]`)
		ada.holds(t, "main [role=status]", "0.95")
		ada.to("/replay?rule=no-high-stakes-low-confidence&mode=off")
		ada.pressed(`a.button[href^="/proposals?"]`)
		ada.keyed("#reason", "It blocks nothing")
		ada.pressed(`button[value=propose]`)
		ada.holds(t, "#diff ~ .scroll", "no-high-stakes-low-confidence", "off")
		ada.pressed(`a[href*="proposal="][href*="view=replay"]`)
		ada.holds(t, "main", "a proposal", "changed rules")
	})
}

// TestJob_Appeal_IsDecidedOnThePage appeals a denial and overturns it with another person.
func TestJob_Appeal_IsDecidedOnThePage(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	ada, mia := s.browse(t), s.browseAs(t, "mia")
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			denied, err := s.env.Checks.CheckInSession(t.Context(),
				check.ActionCheck{Description: fmt.Sprintf("Deploy the shop at %d", size[0]),
					Context: graph.Parameters{"affectsProduction": true, "buildPassed": false}, AgentID: "grace",
					By: "grace"})
			if err != nil || denied.Allowed {
				t.Fatal(denied, err)
			}
			for _, b := range []*tab{ada, mia} {
				b.do(chromedp.EmulateViewport(size[0], size[1]))
			}
			ada.to("/verdicts/" + denied.VerdictID)
			ada.keyed("#appeal-reason", "The build was **green**")
			ada.pressed(`button[value=appeal]`)
			ada.holds(t, "#appeal", "open", "The build was green", "another person has to decide")
			is(ada, `Boolean(document.querySelector("button[value=overturn]"))`, false,
				"the appealing person may decide")
			ada.accessible()
			mia.to("/today")
			if badge := mia.text("#pending"); !strings.HasPrefix(badge, "1") {
				t.Errorf("the menu counts %s", badge)
			}
			mia.accessible()
			mia.pressed(`#appeals-list a`)
			mia.keyed("#appeal-reason", "The check read an old build")
			mia.pressed(`button[value=overturn]`)
			mia.holds(t, "#appeal", "overturned", "The check read an old build")
			mia.click("details:has(> pre[aria-label=Command]) > summary")
			is(mia, shownAt("main pre[aria-label=Command]"), "nomograph verdict case "+denied.VerdictID+
				" --pack FILE")
			mia.accessible()
			for _, b := range []*tab{ada, mia} {
				b.quiet()
				is(b, widerThanScreen, "")
			}
		})
	}
}

// TestJob_Exception_IsRenewedAndRevoked works without scripts on the small screen.
func TestJob_Exception_IsRenewedAndRevoked(t *testing.T) {
	s := open(t)
	b := s.browse(t)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			b.do(chromedp.EmulateViewport(size[0], size[1]))
			accessible := b.accessible
			if size[0] == 390 {
				b.withoutScripts()
				accessible = func() {} // axe is a script
			}
			id := s.excepted(t, "grace", fmt.Sprintf("refund.pay%d", size[0]), "The season begins")
			until := func() any {
				return s.graph.Rows(t, "MATCH (a:Approval {uid: $uid}) RETURN toString(a.valid_until) AS until",
					map[string]any{"uid": id})[0]["until"]
			}
			before := until()
			b.to("/exceptions")
			b.holds(t, "main", "refund.pay", "active", "grace")
			accessible()
			b.pressed(`td a[href="/exceptions/` + id + `"]`)
			b.holds(t, "main", "The season begins", "amount\t900")
			accessible()
			b.keyed("#renew-reason", "The season goes on")
			eval[string](b, `document.querySelector("#for_seconds").value = "86400"; ""`)
			b.pressed(`button[value=renew]`)
			if shown := b.text("#preview"); !strings.Contains(shown, "Nothing has changed yet") ||
				!strings.Contains(shown, "The season goes on") ||
				!strings.Contains(shown, "This is renewal number 1.") || until() != before {
				t.Errorf("the preview shows %s, and the end changes from %v to %v", shown, before, until())
			}
			accessible()
			b.pressed(`#preview button[value=renew]`)
			if shown := b.text(".timeline"); !strings.Contains(shown, "renewed by ada") || until() == before {
				t.Errorf(`after the renewal: got %s with the end %v, want shown with "renewed by ada", until() other than %v`, shown, until(), before)
			}
			b.keyed("#revoke-reason", "The season is over")
			b.pressed(`button[value=revoke]`)
			if shown := b.text("#preview"); !strings.Contains(shown, "needs a new approval") ||
				!strings.Contains(b.text("main"), "active") {
				t.Errorf("the preview shows %s", shown)
			}
			b.pressed(`#preview button[value=revoke]`)
			if shown := b.text("main"); !strings.Contains(shown, "Revoked by ada") ||
				!strings.Contains(shown, "The season is over") ||
				eval[bool](b, `Boolean(document.querySelector("main form"))`) {
				t.Errorf("after the revocation: got %s", shown)
			}
			accessible()
			is(b, widerThanScreen, "")
			b.quiet()
		})
	}
}

// TestAutonomyPage_Levels_ShowTheirEvidence shows an agent with successes at medium stakes, and failures in one
// category.
func TestAutonomyPage_Levels_ShowTheirEvidence(t *testing.T) {
	s := open(t)
	b := s.browse(t)
	b.to("/autonomy?agent=Bo")
	b.holds(t, "main", "policy apply autonomy")
	toolstest.Apply(t, s.env, change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}}})
	s.graph.Exec(t, `MERGE (a:Agent {key: 'bo'}) ON CREATE SET a.name = 'Bo', a.uid = 'bo' WITH a UNWIND range(1, 60) AS i
		CREATE (d:Decision:Uncounted {uid: 'd' + randomUUID(), id: left(randomUUID(), 8), agent: 'Bo', stakes: 'medium', category: CASE WHEN i <= 3 THEN 'security' ELSE 'process' END, outcome: CASE WHEN i <= 3 THEN 'failure' ELSE 'success' END,
			decision: 'x', project: 'o/r', visibility: 'shared', created_at: datetime('2026-01-01') + duration({minutes: i}), reviewed_at: datetime('2026-01-02') + duration({minutes: i})})
		CREATE (d)-[:HAS_REVIEW]->(:Review {number: 1, in_force: true, outcome: d.outcome, by: ['Mia', 'Ada'][i % 2], by_proven: true, source: 'person', at: d.reviewed_at})
		CREATE (:Verdict {uid: 'v' + randomUUID(), at: d.created_at, allowed: true, agent: 'Bo', session: 's' + i})-[:JUDGED]->(d)`, nil)
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/agent?name=Bo")
		b.holds(t, "#autonomy", "medium stakes trusted ✓", "high stakes supervised", "✓: acts need no approval.")
		b.holds(t, "#autonomy", "!supervised ✓, critical")
		b.pressed(`a[href="/autonomy?agent=Bo"]`)
		row := func(heading, name string) string {
			return eval[string](b, fmt.Sprintf(`(() => { const heading = Array.from(document.querySelectorAll("h2")).find((h) => h.innerText === %q); let table = heading; while (!table.matches(".scroll")) table = table.nextElementSibling;
				return Array.from(table.querySelectorAll("tr")).find((row) => row.cells[0].innerText === %q).innerText; })()`, heading, name))
		}
		graphtest.Contains(t, row("By stakes", "medium"), "trusted", "57 sessions succeeded, 3 failed")
		if shown := row("By stakes", "high"); !strings.Contains(shown, "supervised") ||
			!strings.Contains(shown, "no counted reviews") || strings.Contains(shown, "%") {
			t.Errorf("high stakes, without evidence: %s", shown)
		}
		graphtest.Equal(t, strings.Count(row("By category", "security"), "lowered by its reviews"), 1, "security")
		if shown := row("By category", "process"); strings.Contains(shown, "lowered") ||
			!strings.Contains(shown, "trusted") {
			t.Errorf("process: %s", shown)
		}
		b.holds(t, "main", "shadow mode", "more successful sessions in a row")
	})
	s.shows(t, "/autonomy", `href="/agent?agent=Bo&amp;view=autonomy"`)
}
