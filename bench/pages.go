package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"

	"nomograph/server/pages"
)

const (
	pageVisits = 15
	// rulesOfPages creates a policy and a threshold for their pages.
	rulesOfPages = `MERGE (p:SYS_Policy {name: 'page-policy'}) SET p += {active: true, severity: 'block', message: 'No', requires: "has(action.confidence) && action.confidence >= threshold('page_threshold')"}
	MERGE (t:SYS_Threshold {name: 'page_threshold'}) SET t.value = 0.9 MERGE (p)-[:USES_THRESHOLD]->(t)
	MERGE (d:SYS_DecisionTable {table_id: 'page_table'}) MERGE (k:SYS_Pack {name: 'page-pack'}) SET k.version = '1.0.0', k.applied_at = datetime() MERGE (k)-[:OWNS {section: 'policies', key: 'page-policy'}]->(p)
	MERGE (a:Atlas {atlas_id: 'page-atlas'}) SET a.name = 'Page', a.version = '1.0.0'
	MERGE (x:Approval {uid: 'page-exception'}) SET x += {state: 'granted', once: false, agent: 'ada', agent_key: 'ada', action: 'deploy', params: '{}', rules: ['page-policy'], versions: [''], asked_at: datetime(),
	  answered_at: datetime(), answered_by: 'mia', reason: 'measured', effective_at: datetime(), valid_until: datetime() + duration('P1D'), expires_at: datetime() + duration('P1D')}`
)

// visits are the page visits of one browser at one server.
type visits struct {
	*graphOf
	web     *httpServer
	browser context.Context
}

// floorPage costs only what the browser needs for any page.
const floorPage = `<!doctype html><html lang="en"><title>Floor</title><h1>Floor</h1><a href="/">Next</a></html>`

// pages measures the explorer: load times of all pages, and interactions.
func (b *bench) pages(ctx context.Context) ([]row, error) {
	browser, err := b.chromium(ctx)
	if err != nil || browser == nil {
		return nil, err
	}
	g, err := b.loaded(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.run(ctx, rulesOfPages, nil); err != nil {
		return nil, err
	}
	web, err := b.http(ctx)
	if err != nil {
		return nil, err
	}
	least := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		_, _ = io.WriteString(w, floorPage)
	}))
	b.atEnd(least.Close)
	v := &visits{g, web, browser}
	addresses, err := v.addresses(ctx)
	if err != nil {
		return nil, err
	}
	bare := floor{"page with a heading", func(int) (float64, error) { return v.visit(least.URL + "/") }}
	var rows []row
	for _, address := range addresses {
		rows = append(rows, row{name: address, times: pageVisits, floor: bare,
			work: func(int) (float64, error) { return v.visit(web.url + address) }})
	}
	for _, i := range interactions {
		rows = append(rows, row{name: i.name, times: pageVisits,
			work: func(int) (float64, error) { return v.interact(i) }})
	}
	return rows, nil
}

// chromium starts a browser, or returns nil if there is none.
func (b *bench) chromium(ctx context.Context) (context.Context, error) {
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "google-chrome"} {
		program, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program),
			chromedp.Flag("use-angle", "swiftshader"),
			chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.WindowSize(1280, 800))
		if os.Getuid() == 0 {
			options = append(options, chromedp.NoSandbox)
		}
		allocator, end := chromedp.NewExecAllocator(ctx, options...)
		b.atEnd(end)
		browser, leave := chromedp.NewContext(allocator)
		b.atEnd(leave)
		return browser, chromedp.Do(browser)
	}
	fmt.Fprintln(os.Stderr, "No Chromium, so pages are not measured")
	return nil, nil
}

// addresses returns the addresses to visit. It creates a session and a proposal for their pages.
func (v *visits) addresses(ctx context.Context) ([]string, error) {
	if _, err := v.server.call("cra_start_session", map[string]any{"goal": "measure"}); err != nil {
		return nil, err
	}
	sessions, err := v.rows(ctx, "MATCH (s:Session) RETURN s.uid LIMIT 1", nil)
	if err != nil {
		return nil, err
	}
	answer, err := v.web.send(ctx, http.MethodPost, "/api/v1/proposals",
		`{"set": {"page_threshold": 0.8}, "reason": "measured", "date_after": "1d"}`)
	if err != nil {
		return nil, err
	}
	var proposal struct {
		ID string `json:"proposal_id"`
	}
	if err := json.Unmarshal(answer, &proposal); err != nil {
		return nil, err
	}
	id := idOf(7)
	of := map[string]string{"proposal": "/proposals/" + proposal.ID, "exception": "/exceptions/page-exception",
		"propose":  "/proposals?view=new&threshold=page_threshold&value=0.8",
		"autonomy": "/agent?view=autonomy&agent=ada", "decision": "/decisions/" + id, "impact": "/decisions/" + id +
			"?view=impact",
		"policy-impact":    "/policy?view=impact&name=page-policy",
		"manual":           "/docs/guides/explorer",
		"threshold-impact": "/threshold?view=impact&to=0.8&name=page_threshold",
		"verdict":          "/verdicts/bench-of-" + uidOf(7),
		"policy":           "/policy?name=page-policy", "threshold": "/threshold?name=page_threshold",
		"session": "/session?id=" +
			sessions[0].Values[0].(string), "agent": "/agent?name=agent-7",
		"project": "/project?name=bench%2Fproject-1", "search": "/search?q=part",
		"tuning": "/threshold?view=tuning&name=page_threshold", "table": "/tables/page_table",
		"pack": "/packs/page-pack", "atlas": "/atlases/page-atlas"}
	addresses := []string{"/graph?node=" + id, "/graph?depth=5&limit=10000&node=" + id}
	for _, page := range pages.Table() {
		addresses = append(addresses, cmp.Or(of[page.Name], page.Path))
	}
	return addresses, nil
}

// visit opens a page and returns the milliseconds until it and its script have finished.
func (v *visits) visit(address string) (float64, error) {
	ctx, end := context.WithTimeout(v.browser, time.Minute)
	defer end()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		return 0, err
	}
	times, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`new Promise((say) => {
		const look = () => {
			const at = performance.getEntriesByType("navigation")[0], paint = performance.getEntriesByName("first-contentful-paint")[0];
			if (at.loadEventEnd === 0 || !paint || document.querySelector("script[type=module]") && !("done" in document.body.dataset)) return setTimeout(look, 2);
			say([Math.max(at.loadEventEnd, Number(document.body.dataset.done) || 0) - at.startTime, at.responseStatus]);
		};
		look();
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		return 0, err
	}
	if times[1] != http.StatusOK {
		return 0, fmt.Errorf("%s is answered with %.0f", address, times[1])
	}
	return times[0], nil
}

// interaction is an input on a page with a measurable answer.
type interaction struct {
	name, address string
	prepare       string // expression that prepares the input and returns the selector of what is clicked
	// condition on the same page, in the frame that shows the answer; "" if the click opens another page
	answered string
}

// replaced is the condition that a list was replaced.
const replaced = `!("before" in document.body.dataset) && "done" in document.body.dataset`

// interactions are measured from the click to the frame with the answer. A click that opens another page is answered
// by that page's first contentful paint.
var interactions = []interaction{
	{"apply a filter of decisions", "/decisions?category=architecture",
		`(document.getElementById("outcome").value = "failure", "details .find button.quiet")`, replaced},
	{"open a decision", "/decisions", `"td.title a"`, ""},
	{"next page of decisions", "/decisions", `(() => { const older = Array.from(document.querySelectorAll("main a.button")).find((link) => link.innerText === "Older"); older.id = "older"; return "#older"; })()`, replaced},
	{"hide an outcome in the graph", "/graph?node=" + idOf(7), `".keys button"`,
		`document.querySelector(".keys button")?.getAttribute("aria-pressed") === "false"`},
}

func (v *visits) interact(i interaction) (float64, error) {
	if _, err := v.visit(v.web.url + i.address); err != nil {
		return 0, err
	}
	ctx, end := context.WithTimeout(v.browser, time.Minute)
	defer end()
	// The time of the click is stored, since a page that the click opens has its own clock.
	selector, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(addEventListener("click", (event) => sessionStorage.setItem("clicked", String(performance.timeOrigin + event.timeStamp)), { capture: true, once: true }), document.body.dataset.before = "yes", `+i.prepare+`)`))
	if err != nil {
		return 0, err
	}
	if i.answered != "" {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[int](`(() => { const look = () => { if (`+i.answered+
			`) requestAnimationFrame(() => { window.answered = performance.timeOrigin + performance.now(); }); else requestAnimationFrame(look); }; look(); return 0; })()`)); err != nil {
			return 0, err
		}
	}
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		return 0, err
	}
	answer := `document.body && !document.body.dataset.before && performance.getEntriesByName("first-contentful-paint")[0] ? performance.timeOrigin + performance.getEntriesByName("first-contentful-paint")[0].startTime : 0`
	if i.answered != "" {
		answer = `window.answered ?? 0`
	}
	for {
		ms, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`(() => { const at = `+answer+
			`; return at ? at - Number(sessionStorage.getItem("clicked")) : 0; })()`))
		if err == nil && ms > 0 {
			return ms, nil
		}
		if ctx.Err() != nil { // an evaluation also fails while the next page replaces this one
			return 0, cmp.Or(err, ctx.Err())
		}
	}
}
