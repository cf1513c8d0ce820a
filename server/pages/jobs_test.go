package pages_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

// onEachScreen runs a job on a large screen and on a phone. accessible alternates between the color schemes.
func onEachScreen(t *testing.T, b *tab, job func(t *testing.T)) {
	t.Helper()
	for _, size := range [][2]int64{{1440, 900},
		{390, 844}} { // in this order, so that each has the same color scheme in every run
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			b.do(chromedp.EmulateViewport(size[0], size[1]))
			job(t)
			is(b, widerThanScreen, "")
			b.quiet()
			b.accessible()
		})
	}
}

// TestJob_DeniedAction_ShowsWhatWouldPass asks why an action was denied, and tries what would pass. It uses only the
// keyboard.
func TestJob_DeniedAction_ShowsWhatWouldPass(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	denied, err := s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Deploy the shop",
			Context: graph.Parameters{"affectsProduction": true, "buildPassed": false, "testCoverage": 0.5},
			AgentID: "grace", By: "grace"})
	if err != nil || denied.Allowed {
		t.Fatal(denied, err)
	}
	before := toolstest.Count(t, s.graph, "MATCH (v:Verdict) RETURN count(v)")
	b := s.browse(t)
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/verdicts")
		b.pressed(`td a[href="/verdicts/` + denied.VerdictID + `"]`)
		if b.text("h1") != "Deploy the shop" || !strings.HasPrefix(eval[string](b, "document.title"), "Denied: ") {
			t.Errorf("the page is called %q, %q", b.text("h1"), eval[string](b, "document.title"))
		}
		b.holds(t, ".checklist", "Set context.buildPassed to true (now false), or leave out context.buildPassed",
			"Raise context.testCoverage to at least 0.8 (now 0.5)",
			"Set context.codeReviewCompleted to true (now absent)")
		if strings.Contains(b.text("main"), "has(action") ||
			!strings.Contains(b.text("main"), "Today's rules give the same result.") {
			t.Errorf("conditions and equal results are not hidden: %s", b.text("main"))
		}
		b.tab(`#try ~ form button`)
		b.pressed(`#try ~ form button`)
		b.holds(t, "#try ~ [role=status]", "denied")
		b.tab(`select[name="try.context.buildPassed"]`)
		b.do(key("t"))
		b.pressed(`#try ~ form button`)
		b.holds(t, "#try ~ [role=status]", "denied", "!buildPassed", "testCoverage")
		b.pressed(`#try ~ form a.button`)
		b.holds(t, "#try ~ [role=status]", "allowed")
		b.click("main > details:not(section details) summary")
		b.holds(t, "main > details", "no-deploy-on-red-build", "Version", "has(action")
	})
	graphtest.Equal(t, toolstest.Count(t, s.graph, "MATCH (v:Verdict) RETURN count(v)"), before,
		"verdicts after trying")
	if _, _, page := s.get(t, "/verdicts/"+denied.VerdictID+
		"?try.confidence=7&try.context.testCoverage=much"); !strings.Contains(page, "With these facts") &&
		!strings.Contains(page, `role="alert"`) {
		t.Errorf("invalid facts: got %s", page)
	}
	toolstest.Set(t, s.env, "test_coverage_min", 0.4)
	s.shows(t, "/verdicts/"+denied.VerdictID, "<th scope=\"col\">Then</th>")
}

// TestJob_FailedDecision_NamesDependents reads which decisions depend on a failed one, and comes back from a dependent.
func TestJob_FailedDecision_NamesDependents(t *testing.T) {
	s := open(t)
	record := func(text string) string {
		return toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{AgentID: "bot"}}).ID
	}
	failed, first, second, other := record("Store orders in files"), record("Read orders nightly"),
		record("Copy orders weekly"), record("Use another disk")
	toolstest.Link(t, s.env, first, "depends_on", failed)
	toolstest.Link(t, s.env, second, "depends_on", first)
	toolstest.Link(t, s.env, other, "contradicts", failed)
	for i := range 9 { // more nodes than the small graph draws; the first has links in both directions
		near := record("Use disk number " + strconv.Itoa(i) + " of the rack in the cellar")
		toolstest.Link(t, s.env, other, "relates_to", near)
		if i == 0 {
			toolstest.Link(t, s.env, near, "relates_to", other)
			toolstest.Link(t, s.env, record("Use the disk in the attic"), "supersedes", near)
		}
	}
	toolstest.Review(t, s.env, failed, "failure")
	toolstest.Review(t, s.env, second, "success")
	b := s.browse(t)
	onEachScreen(t, b, func(t *testing.T) {
		b.to("/decisions/" + failed)
		b.holds(t, "#dependents", "2 decisions depend on this, 1 still open.", "Copy orders weekly")
		is(b, `Array.from(document.querySelectorAll(".near a"), (node) => node.getAttribute("href")).sort().join(" ")`,
			strings.Join(slices.Sorted(slices.Values([]string{"/decisions/" + first, "/decisions/" + other})), " "))
		graphtest.Contains(t, b.text("main"), "Depend on this", "Contradict this")
		b.follow(`#dependents a[href="/decisions/` + second + `"]`)
		b.holds(t, "#broken", "depends on 1 failed decision")
		b.follow(`#broken a[href="/decisions/` + failed + `"]`)
		b.pressed(`#dependents a[href="/decisions/` + failed + `?view=impact"]`)
		b.holds(t, "main", "2 decisions depend on this decision, 1 still open", "Copy orders weekly", "No rules.")
		b.pressed(`td a[href="/decisions/` + second + `"]`)
		b.holds(t, "h1", "Copy orders weekly")
	})
	b.do(chromedp.EmulateViewport(1280, 800))
	b.to("/decisions/" + other)
	if size := eval[[]int](b, `(() => { const of = document.querySelector(".near"); return [of.scrollWidth, of.clientWidth]; })()`); size[0] > size[1] {
		t.Errorf("the small graph is %d wide in a column of %d", size[0], size[1])
	}
	if drawn := eval[[]int](b, `[document.querySelectorAll(".near a").length, document.querySelectorAll(".near path.link").length]`); drawn[0] != 8 || drawn[1] != 8 {
		t.Errorf("the small graph draws %d neighbors with %d lines, want 8 of each", drawn[0], drawn[1])
	}
	for id, want := range map[string]string{first: `<span class="badge failure">failure</span> <a class="decision" href="/decisions/` + failed, other: `<span class="badge pending">superseded</span> <a class="decision"`} {
		s.shows(t, "/decisions/"+id, want)
	}
	s.shows(t, "/decisions/"+other, `!id="broken"`, `!id="dependents"`)
}

// TestJob_Approval_IsAnsweredAndUndone sees a request arrive on the open page, reads its card, approves it and undoes
// the approval.
func TestJob_Approval_IsAnsweredAndUndone(t *testing.T) {
	s := open(t)
	s.env.Sessions.ApprovalDelay = time.Hour
	ask := func(action string) {
		t.Helper()
		asked, err := s.env.Sessions.Report(t.Context(),
			sessions.Report{Action: action, Params: graph.Parameters{"amount": int64(900), "order": "A-1007"},
				Caller: sessions.Caller{By: "grace"}})
		if err != nil || asked.ApprovalID == "" {
			t.Fatal(asked, err)
		}
	}
	b := s.browse(t)
	b.to("/")
	if b.text("h1") != "Today" || !strings.Contains(b.text("#group-approvals"), "No pending approvals") {
		t.Fatalf("the home page shows %s", b.text("main"))
	}
	ask("refund.pay")
	b.until(`document.querySelector("#approval-list li")?.innerText.includes("refund.pay")`)
	b.until(`document.querySelector("#pending")?.innerText.startsWith("1")`)
	b.click("#approval-list summary")
	b.until(`document.querySelector("#approval-list details").innerText.includes("No earlier request for this action was answered")`)
	b.holds(t, "#approval-list", "grace", "amount\t900", "order\tA-1007",
		"takes effect after 3600 seconds, and you can undo it until then")
	b.keyed("#approval-list [name=reason]", "It was agreed")
	ask("refund.twice")
	b.until(`document.querySelectorAll("#approval-list li").length === 2`)
	is(b, `Array.from(document.querySelectorAll("#approval-list [name=reason]")).some((field) => field.value === "It was agreed")`, true, "a new request empties the form of another")
	b.accessible()
	b.do(chromedp.EmulateViewport(390, 844))
	row := `#` + eval[string](b, `Array.from(document.querySelectorAll("#approval-list li")).find((row) => row.querySelector("[name=reason]").value).id`)
	b.pressed(row + ` button[value=approve]`)
	b.holds(t, "[id^=approving]", "ada approved", "It takes effect at")
	b.pressed(`[id^=approving] button[value=undo]`)
	if n := eval[int](b, `document.querySelectorAll("#approval-list li").length`); n != 2 ||
		eval[bool](b, `Boolean(document.querySelector("[id^=approving]"))`) {
		t.Errorf("after undo: got %d pending requests: %s", n, b.text("#approval-list"))
	}
	reject := func(reason string) {
		b.keyed("#approval-list [name=reason]", reason)
		b.tab("#approval-list button[value=reject]")
		b.do(key("\r"))
		b.until(`document.activeElement.matches(".held button")`)
	}
	reject("A mistake")
	b.do(key("\r")) // undo
	b.until(`!document.querySelector(".held")`)
	reject("Too much")
	b.to("/") // leaving the page sends it
	b.until(`document.querySelectorAll("#approval-list li").length === 1`)
	b.to("/")
	if text := eval[string](b, `document.querySelector(".rest").textContent`); !strings.Contains(text, "rejected") ||
		!strings.Contains(text, "Too much") || strings.Contains(text, "A mistake") {
		t.Errorf("the answers are %s, want one rejection: the other was undone", text)
	}
	b.accessible()
	b.quiet()
	is(b, widerThanScreen, "")
}

// TestToday_Inbox_RejectsSeveralAndSnoozes rejects two of seven requests together, hides one, and measures the page.
func TestToday_Inbox_RejectsSeveralAndSnoozes(t *testing.T) {
	s := open(t)
	for i := range 7 {
		graphtest.Must(s.env.Sessions.Report(t.Context(), sessions.Report{Action: fmt.Sprint("refund.", i),
			Caller: sessions.Caller{By: "grace"}}))(t)
	}
	toolstest.Record(t, s.env, decisions.Record{Decision: "Begin", Confidence: 0.5})
	b := s.browse(t)
	b.do(chromedp.EmulateViewport(1440, 900))
	b.to("/")
	shown := func() int {
		return eval[int](b, `Array.from(document.querySelectorAll("#approval-list li")).filter((row) => row.checkVisibility()).length`)
	}
	if n, high := shown(), eval[int](b, `document.documentElement.scrollHeight`); n != 5 || high > 900 {
		t.Errorf("got %d requests on a page of %d pixels, want 5 on one screen", n, high)
	}
	eval[string](b, `(() => { const pick = document.querySelector("#approval-list .snooze"); pick.value = "tomorrow"; pick.dispatchEvent(new Event("change")); return ""; })()`)
	if n := shown(); n != 5 || !strings.Contains(b.text("#group-approvals"), "1 snoozed") {
		t.Errorf("with a hidden row, %d are shown: %s", n, b.text("#group-approvals"))
	}
	b.click(".asleep")
	for _, i := range []int{1, 2} {
		b.click(fmt.Sprintf("#approval-list li:nth-child(%d) > input", i))
	}
	b.fill("#bulk input[name=reason]", "Not today")
	b.click("#bulk button[value=reject]")
	b.until(`document.querySelectorAll("[data-held]").length === 2`)
	b.until(`document.querySelectorAll("#approval-list li").length === 5`)
	rejected, err := s.env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "rejected"})
	if err != nil || len(rejected.Approvals) != 2 || rejected.Approvals[0].Reason != "Not today" {
		t.Errorf("got %+v %v, want two rejected requests", rejected, err)
	}
	b.accessible()
	b.quiet()
}

// TestToday_Freeze_AppearsAndGoes freezes an agent while the page is open. The group of frozen agents exists only while
// one is frozen.
func TestToday_Freeze_AppearsAndGoes(t *testing.T) {
	s := open(t)
	b := s.browse(t)
	b.to("/")
	for _, step := range [][3]string{
		{"freeze_agent", `{"name": "release-bot", "reason": "it deletes branches"}`,
			`document.querySelector("#inboxes > :first-child#group-frozen")?.innerText.includes("it deletes branches")`},
		{"unfreeze_agent", `{"name": "release-bot", "reason": "it was a test"}`,
			`!document.querySelector("#group-frozen")`},
	} {
		s.call(t, "ada", step[0], step[1])
		b.until(step[2])
	}
	b.quiet()
}

// TestToday_WrongBrowserClock_ShowsTheEffectInTime opens the page in a browser whose clock is an hour late. The card
// of an approval goes when the approval takes effect, although no event reports that.
func TestToday_WrongBrowserClock_ShowsTheEffectInTime(t *testing.T) {
	s := open(t)
	asked, err := s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(900)},
			Caller: sessions.Caller{By: "grace"}})
	if err != nil || asked.ApprovalID == "" {
		t.Fatal(asked, err)
	}
	s.env.Sessions.ApprovalDelay = time.Hour
	graphtest.Must(s.env.Sessions.Approve(t.Context(),
		sessions.Grant{Answer: sessions.Answer{ApprovalID: asked.ApprovalID, Reason: "Agreed",
			By: "ada"}}))(t)
	b := s.browse(t)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: `{ const now = Date.now; Date.now = () => now() - 3600000; }`})
		return err
	}))
	b.to("/today") // on the second visit, the statements of the page are planned
	s.graph.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.effective_at = datetime() + duration('PT12S')",
		map[string]any{"uid": asked.ApprovalID})
	b.to("/today")
	b.holds(t, "[id^=approving]", "It takes effect at")
	began := time.Now()
	b.until(`!document.querySelector("[id^=approving]")`)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the card disappeared after %v", took)
	}
	b.quiet()
}

// TestTimes_Browser_ShowsItsZone reads times in another zone. The exact time in UTC is in the title.
func TestTimes_Browser_ShowsItsZone(t *testing.T) {
	s := open(t)
	made := toolstest.Record(t, s.env, decisions.Record{Decision: "Store orders in files", Confidence: 0.7})
	b := s.browse(t)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride,
			emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Tokyo"})
		return err
	}))
	b.to("/decisions/" + made.ID)
	b.until(`document.querySelector("main time").innerText.endsWith("+9")`)
	at, err := time.Parse("2006-01-02 15:04:05 UTC", eval[string](b, `document.querySelector("main time").title`))
	if shown := b.text("main time"); err != nil ||
		!strings.HasPrefix(shown, at.Add(9*time.Hour).Format("2006-01-02 15:04")) {
		t.Errorf("got %s for %v, %v", shown, at, err)
	}
	b.to("/today")
	eval[bool](b, `document.querySelector(".rest").open = true`)
	if shown, title := b.text(`.rest time`), eval[string](b,
		`document.querySelector(".rest time").title`); !strings.HasSuffix(shown, "ago") && shown != "now" ||
		title != at.Format("2006-01-02 15:04:05 UTC") {
		t.Errorf("the newest decision was made %q, %q", shown, title)
	}
	b.quiet()
}

// TestBreakers_Reset_IsShown resets a breaker with the keyboard.
func TestBreakers_Reset_IsShown(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	b := s.browse(t)
	b.to("/breakers")
	b.keyed("#reason", "The cause is fixed")
	b.pressed(`button[value="reset"]`)
	b.holds(t, "table", "ada\tThe cause is fixed", "closed")
	b.quiet()
	b.accessible()
}
