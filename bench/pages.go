package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

const pageVisits = 15

// visited are the pages that people open most, and the largest graph.
var visited = []string{"/", "/search?q=part", "/decisions", "/decisions?category=architecture", "/decisions/" + idOf(7),
	"/verdicts", "/verdicts/bench-of-" + uidOf(7), "/agent?name=agent-7", "/project?name=bench%2Fproject-1", "/graph",
	"/graph?depth=5&limit=10000&node=" + idOf(7)}

// visits are the page visits of one browser at one server.
type visits struct {
	web     *httpServer
	browser context.Context
}

// floorPage costs only what the browser needs for any page.
const floorPage = `<!doctype html><html lang="en"><title>Floor</title><h1>Floor</h1><a href="/">Next</a></html>`

// pages measures the explorer: load times of pages, and interactions.
func (b *bench) pages(ctx context.Context) ([]row, error) {
	browser, err := b.chromium(ctx)
	if err != nil || browser == nil {
		return nil, err
	}
	if _, err := b.loaded(ctx); err != nil {
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
	v := &visits{web, browser}
	bare := floor{"page with a heading", func(int) (float64, error) { return v.visit(least.URL + "/") }}
	var rows []row
	for _, address := range visited {
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
