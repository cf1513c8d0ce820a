package pages_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

// jobBudget is the time that a job may take on a screen, with all page loads. Each job takes seconds; the rest is for
// a busy machine.
const jobBudget = time.Minute

// window is the size of a browser window, in CSS pixels.
type window struct {
	width, height int64
	scale         float64
}

// screen is a window in which the jobs are done, and its display settings. Each page is also checked in the other
// windows, because neither the jobs nor the colors depend on the window.
type screen struct {
	name   string
	window window
	others []window
	scheme string
	plain  bool // without JavaScript
}

var screens = []screen{
	{"1280 dark, also 1440 and 200 percent", window{1280, 800, 1}, []window{{1440, 900, 1}, {640, 400, 2}}, "dark",
		false},
	{"390 light", window{390, 844, 1}, nil, "light", false},
	{"1280 without JavaScript", window{1280, 800, 1}, []window{{390, 844, 1}}, "light", true},
}

// cutOff names texts that their box hides, unless a pointer shows them whole, and values and placeholders that do not
// fit their field.
const cutOff = `Array.from(document.querySelectorAll("main h1, main h2, main h3, main p, main td, main th, main dd, main dt, main li, main button, main a.button, main input, .top a")).filter((e) =>
	e.getClientRects().length > 0 && !e.closest(".hidden, .stage, .nodes, .panel, svg") && !e.title && getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 160)).join(" | ")`

// overlapping names pairs of links, fields, buttons and headings that cover each other. Parts of a graph may cover
// each other; the tests of the graph page check them.
const overlapping = `(() => {
	const all = Array.from(document.querySelectorAll("main h1, main h2, main h3, main a, main button, main input, main select, main textarea, main summary, main .badge, .top a, .top input")).filter((e) =>
		e.checkVisibility({ visibilityProperty: true }) && !e.closest(".hidden, .skip, .stage, .panel, .nodes, svg, .cards, .bulk"));
	const boxes = all.map((e) => Array.from(e.getClientRects(), (r) => ({ e, left: r.left + 1, right: r.right - 1, top: r.top + 2, bottom: r.bottom - 2 }))).flat().sort((a, b) => a.top - b.top);
	const found = [];
	boxes.forEach((a, i) => {
		for (const b of boxes.slice(i + 1)) {
			if (b.top >= a.bottom) break;
			if (a.e !== b.e && !a.e.contains(b.e) && !b.e.contains(a.e) && a.left < b.right && b.left < a.right) found.push(a.e.outerHTML.slice(0, 80) + " and " + b.e.outerHTML.slice(0, 80));
		}
	});
	return found.slice(0, 5).join(" | ");
})()`

// fits fails if the page scrolls sideways, hides a text or covers one control with another.
func (b *tab) fits() {
	b.t.Helper()
	for what, found := range map[string]string{"is wider than the screen": eval[string](b, widerThanScreen),
		"cuts off": eval[string](b, cutOff), "covers": eval[string](b, overlapping)} {
		if found != "" {
			b.t.Errorf("got %s %s %s, want empty found",
				eval[string](b, "location.pathname + location.search + ` at a width of ${innerWidth}`"), what, found)
		}
	}
}

// job is one of the jobs that the pages are made for, done with the keyboard only. presses is how many links and
// buttons it may take.
type job struct {
	name    string
	presses int
	do      func(t *testing.T, b *tab)
}

// holds fails unless the visible text of an element contains all texts.
func (b *tab) holds(t *testing.T, selector string, texts ...string) {
	t.Helper()
	look(t, selector, b.text(selector), texts)
}

// jobs fills the graph and returns the eight jobs.
func (s *site) jobs(t *testing.T) []job {
	t.Helper()
	s.env.Sessions.ApprovalDelay = time.Hour
	toolstest.ApplyShipped(t, s.graph, "core")
	denied, err := s.env.Checks.CheckInSession(t.Context(),
		check.ActionCheck{Description: "Deploy the shop",
			Context: graph.Parameters{"affectsProduction": true, "buildPassed": false}, AgentID: "grace", By: "grace"})
	if err != nil || denied.Allowed {
		t.Fatal(denied, err)
	}
	record := func(text string) string {
		return toolstest.Record(t, s.env, decisions.Record{Decision: text, Confidence: 0.7,
			ExtraFields: decisions.ExtraFields{AgentID: "bot"}}).ID
	}
	failed, dependent := record("Cache orders in files"), record("Read cached orders nightly")
	toolstest.Link(t, s.env, dependent, "depends_on", failed)
	toolstest.Review(t, s.env, failed, "failure")
	graphtest.Must(s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(900)},
			Caller: sessions.Caller{By: "grace"}}))(t)
	s.call(t, "bot", "cra_start_session", `{"goal": "Pay the refunds", "session_id": "refunds-1"}`)
	s.call(t, "bot", "record_thought", `{"text": "The order was cancelled", "session_id": "refunds-1"}`)
	s.call(t, "bot", "check_action", `{"description": "Deploy the refunds", "context": {"affectsProduction": true, "buildPassed": false}, "session_id": "refunds-1"}`)
	toolstest.WaitForWorkers(t, s.graph)
	verdict := "/verdicts/" + denied.VerdictID
	return []job{
		{"denied", 2, func(t *testing.T, b *tab) {
			b.to("/verdicts")
			b.pressed(`td a[href="` + verdict + `"]`)
			b.holds(t, ".checklist", "Set context.buildPassed to true")
			b.tab(`select[name="try.context.buildPassed"]`)
			b.do(key("t"))
			b.pressed(`#try ~ form button`)
			b.holds(t, "#try ~ [role=status]", "denied")
		}},
		{"dependents", 1, func(t *testing.T, b *tab) {
			b.to("/decisions/" + failed)
			b.holds(t, "#dependents", "1 decision depends on this")
			b.pressed(`#dependents a[href="/decisions/` + dependent + `"]`)
			b.holds(t, "#broken", "depends on 1 failed decision")
		}},
		{"agent", 1, func(t *testing.T, b *tab) {
			b.to("/decisions")
			b.pressed(`main a[href="/agent?name=bot"]`)
			b.holds(t, "h1", "Agent bot")
			b.holds(t, "main", "Cache orders in files")
		}},
		{"threshold", 3, func(t *testing.T, b *tab) {
			b.to("/thresholds")
			b.pressed(`td a[href^="/threshold?name=high_stakes_min_confidence"]`)
			b.keyed("#value", "0.8")
			b.pressed(`form[action="/threshold#change"] button`)
			b.holds(t, ".note[role=status]", "The value changes from", "0.8", "none would have another answer")
			is(b, `document.querySelectorAll(".chart").length`, 0, "a value that never changed or denied has a chart")
			b.pressed(`form a.button.quiet`)
		}},
		{"approval", 2, func(t *testing.T, b *tab) {
			b.to("/today")
			b.holds(t, "#approval-list", "refund.pay", "900")
			b.holds(t, "main", "Pending approvals 1", "Open appeals")
			b.holds(t, "#denied-list", "needs approval")
			b.keyed("#approval-list [name=reason]", "It was agreed")
			b.pressed("#approval-list button[value=approve]")
			b.holds(t, "[id^=approving]", "ada approved")
			b.pressed("[id^=approving] button[value=undo]")
			b.holds(t, "#approval-list", "refund.pay")
		}},
		{"search", 1, func(t *testing.T, b *tab) {
			b.to("/today")
			b.keyed("#jump", "cached orders")
			eval[string](b, `document.body.dataset.before = ""`)
			b.do(key("\r"))
			b.until(`!("before" in document.body.dataset)`)
			b.settled()
			is(b, `document.querySelectorAll('.hits a[href="/decisions/`+failed+`"]').length`, 1)
			b.pressed(`.hits a[href^="/decisions/"]`)
			b.holds(t, "h1", "orders")
		}},
		{"session", 1, func(t *testing.T, b *tab) {
			b.to("/sessions?agent_id=bot")
			is(b, `document.querySelector("tr:has(.badge.success) td[data-label=denied]").innerText`, "1")
			b.holds(t, "td", "Pay the refunds")
			b.pressed(`td a[href^="/session?id="]`)
			b.holds(t, "main", "The order was cancelled")
		}},
		{"neighborhood", 0, func(t *testing.T, b *tab) {
			b.to("/graph?node=" + failed)
			b.tab(`#nodes li a:not([aria-current])`)
			b.do(key("\r"))
			b.until(`document.querySelector("#panel h2")`)
			b.holds(t, "#nodes", "Cache orders in files", "Read cached orders nightly")
		}},
	}
}

// resize gives the tab the size of a window.
func (b *tab) resize(w window) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(w.width, w.height, chromedp.EmulateScale(w.scale)))
}

// TestJobs_EachScreen_DoneWithinBudget does the eight jobs with the keyboard only on every screen, and checks each
// page that they visit in each window of the screen: nothing is cut off, nothing covers anything else, and nothing
// scrolls sideways.
func TestJobs_EachScreen_DoneWithinBudget(t *testing.T) {
	s := open(t)
	jobs := s.jobs(t)
	for _, screen := range screens {
		t.Run(screen.name, func(t *testing.T) {
			b := s.browse(t)
			b.visited = func() {
				for _, other := range screen.others {
					b.resize(other)
					b.fits()
				}
				b.resize(screen.window)
				b.fits()
			}
			b.resize(screen.window)
			if screen.plain {
				b.withoutScripts()
			}
			b.scheme(screen.scheme)
			for _, job := range jobs {
				began := time.Now()
				b.presses = 0
				job.do(t, b)
				if took := time.Since(began); took > jobBudget || b.presses > job.presses {
					t.Errorf("%s took %v and %d presses, want at most %v and %d", job.name, took, b.presses, jobBudget,
						job.presses)
				}
				if !screen.plain {
					b.accessible() // in both color schemes
					b.scheme(screen.scheme)
				}
			}
			b.quiet()
		})
	}
}
