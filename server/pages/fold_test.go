package pages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

// TestFilters_OnAPhone_FoldWithTheirCount opens lists with filters on a phone and on a large screen, without
// JavaScript.
func TestFilters_OnAPhone_FoldWithTheirCount(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	toolstest.Record(t, s.env, decisions.Record{Decision: "Cache orders in files", Confidence: 0.7})
	b := s.browse(t)
	b.withoutScripts()
	for path, folded := range map[string]string{
		"/verdicts": "Filters", "/verdicts?result=denied&rule=&agent_id=ada&cursor=": "Filters 2 active",
		"/audit?kind=policy": "Filters 1 active", "/calibration?by=category&stakes=high": "Filters 2 active",
		"/report?date_after=30d&agent_id=": "Filters", "/report?date_after=7d": "Filters 1 active",
		"/report?date_after=": "Filters 1 active", "/report?utm_source=mail": "Filters",
		"/verdicts?rule=&rule=never&rule=always": "Filters 1 active", "/policies?active=true": "Filters 1 active",
		"/decisions?q=cache": "Filters", "/decisions?q=cache&stakes=high": "Filters 1 active",
		"/search?q=cache&kind=decision&stakes=high": "Filters 1 active", "/today?contradictions=1": "Filters",
		"/today?project=acme/shop": "Filters 1 active",
	} {
		b.do(chromedp.EmulateViewport(390, 844))
		b.to(path)
		is(b, shownAt("details:has(.find) > summary"), folded)
		const field = `document.querySelector("details .find :is(input:not([type=hidden]), select)").checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })`
		is(b, field, false)
		b.click("details:has(.find) > summary")
		is(b, field, true)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	for path, open := range map[string]bool{"/verdicts": true, "/report": true, "/decisions": true,
		"/decisions?stakes=high": true} {
		b.to(path)
		is(b, `document.querySelector("details .find :is(input:not([type=hidden]), select)").checkVisibility({ contentVisibilityAuto: true })`, open)
		if got := eval[bool](b, `document.querySelector("details:has(.find) > summary").checkVisibility()`); got == open {
			t.Errorf("%s on a large screen: the summary of the filters is visible: %v", path, got)
		}
	}
	b.to("/verdicts?date_after=soon") // an error shows the field that is wrong
	b.do(chromedp.EmulateViewport(390, 844))
	is(b, `document.querySelector("#date_after").checkVisibility()`, true, "after an error, the wrong filter is folded")
}

// TestFilters_Set_EmptyList compares a graph without decisions with a list whose filters match none.
func TestFilters_Set_EmptyList(t *testing.T) {
	s := open(t)
	for query, want := range map[string]string{"": "No decisions yet", "utm_source=mail": "No decisions yet",
		"agent_id=nobody": "No decision matches these filters"} {
		s.shows(t, "/decisions?"+query, want)
	}
}

// TestFilters_OldBrowser_AreOpenOnWideScreens uses a browser that says that it cannot style the content of a details
// element.
func TestFilters_OldBrowser_AreOpenOnWideScreens(t *testing.T) {
	s := open(t)
	b := s.browse(t)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: `CSS.supports = () => false`})
		return err
	}))
	for width, open := range map[int64]bool{1280: true, 390: false} {
		b.do(chromedp.EmulateViewport(width, 800))
		b.to("/verdicts?result=denied")
		is(b, `document.querySelector(".fold").open`, open)
	}
}

// TestNavigation_EachPage_MarksItsEntryAndCountsRequests looks at pages of one object and at errors.
func TestNavigation_EachPage_MarksItsEntryAndCountsRequests(t *testing.T) {
	s := open(t)
	toolstest.ApplyShipped(t, s.graph, "core")
	graphtest.Must(s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(900)},
			Caller: sessions.Caller{By: "grace"}}))(t)
	proposed := graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Set: graph.Parameters{"high_stakes_min_confidence": 0.75}},
			Reason: "Four of six failed", By: "ada", Draft: true}))(t)
	b := s.browse(t)
	for path, entry := range map[string]string{
		"/impact?threshold=high_stakes_min_confidence&to=0.3": "Policies",
		"/impact?policy=no-high-stakes-low-confidence":        "Policies", "/proposals/" + proposed.ProposalID: "More",
		"/propose?threshold=high_stakes_min_confidence&value=0.8": "More",
		"/packs/core": "Policies", "/report": "Policies", "/threshold?name=high_stakes_min_confidence": "Policies",
		"/decisions/ffffffff": "Decisions", "/verdicts?date_after=soon": "Verdicts", "/nowhere": "",
	} {
		b.to(path)
		is(b, `Array.from(document.querySelectorAll(".top nav [aria-current]"), (e) => e.firstChild.textContent).join()`, entry)
		is(b, `document.querySelector("#pending")?.textContent ?? ""`, "1 to decide")
	}
	graphtest.Must(s.env.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.twice", Caller: sessions.Caller{By: "grace"}}))(t)
	if b.to("/"); !strings.HasPrefix(b.text("#pending"), "2") {
		t.Errorf("after another request, the count is %q", b.text("#pending"))
	}
	b.do(chromedp.EmulateViewport(390, 844))
	for path, values := range map[string][]string{"/policies": {"no-high-stakes-low-confidence", "block", "active",
		"critical_stakes_min_confidence"}, "/thresholds": {"high_stakes_min_confidence", "0.5", "ratio"},
		"/packs": {"core", "1.5.3", "7 block"}, "/report": {"no-high-stakes-low-confidence", "enforce"},
		"/breakers":          {"stakes:high", "closed", "0 of 3"},
		"/audit?kind=policy": {"no-high-stakes-low-confidence", "policy", "applied", "test"},
		"/proposals": {"high_stakes_min_confidence", "draft", "Four of six failed",
			"ada"}} { // lists are not cut off
		b.to(path)
		is(b, `Array.from(document.querySelectorAll(".table")).filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.scrollWidth).join()`, "")
		row := eval[string](b, fmt.Sprintf(`Array.from(document.querySelectorAll(".list tbody tr")).find((e) => e.innerText.includes(%q))?.innerText ?? ""`, values[0]))
		graphtest.Contains(t, row, values...)
	}
	b.to("/proposals")
	graphtest.Contains(t,
		eval[string](b, `getComputedStyle(document.querySelector(".list td[data-label='newly denied']"), "::before").content`), "newly denied")
}
