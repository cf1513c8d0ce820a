package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"nomograph/server/pages"
)

const (
	pageNodes, pageLinks = 10_000, 30_000
	pageVisits           = 15
	panning              = 5 * time.Second
)

// fillPages creates the decisions $from to $to. linkPages links each of them to three older ones.
const (
	fillPages = `UNWIND range($from, $to - 1) AS i
	CREATE (d:Decision {uid: 'page-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide on part ' + i + ' of the whole', category: 'architecture', stakes: 'high', status: 'pending',
	  visibility: 'shared', confidence: (i % 100) / 100.0, project: 'acme/shop', agent: 'ada', created_at: datetime('2026-01-01T00:00:00Z') + duration({minutes: i}),
	  outcome: CASE i % 4 WHEN 0 THEN 'success' WHEN 1 THEN 'failure' END})`
	linkPages = `UNWIND range($from, $to - 1) AS i UNWIND range(0, 2) AS k WITH i, k WHERE i > 0
	MATCH (newer:Decision {id: right('0000000' + toString(i), 8)}) MATCH (older:Decision {id: right('0000000' + toString(toInteger((i * 7919 + k * 104729) % i)), 8)})
	MERGE (newer)-[r:DEPENDS_ON]->(older) ON CREATE SET r.weight = 1.0, r.created_at = newer.created_at`
	fillBatch = 10_000
	// rulesOfPages creates a policy and a threshold for their pages.
	rulesOfPages = `MERGE (p:SYS_Policy {name: 'page-policy'}) SET p += {active: true, severity: 'block', message: 'No', requires: "has(action.confidence) && action.confidence >= threshold('page_threshold')"}
	MERGE (t:SYS_Threshold {name: 'page_threshold'}) SET t.value = 0.9 MERGE (p)-[:USES_THRESHOLD]->(t)
	MERGE (d:SYS_DecisionTable {table_id: 'page_table'}) MERGE (k:SYS_Pack {name: 'page-pack'}) SET k.version = '1.0.0', k.applied_at = datetime() MERGE (k)-[:OWNS {section: 'policies', key: 'page-policy'}]->(p)
	MERGE (a:Atlas {atlas_id: 'page-atlas'}) SET a.name = 'Page', a.version = '1.0.0'
	MERGE (x:Approval {uid: 'page-exception'}) SET x += {state: 'granted', once: false, agent: 'ada', agent_key: 'ada', action: 'deploy', params: '{}', rules: ['page-policy'], versions: [''], asked_at: datetime(),
	  answered_at: datetime(), answered_by: 'mia', reason: 'measured', effective_at: datetime(), valid_until: datetime() + duration('P1D'), expires_at: datetime() + duration('P1D')}`
)

// pages measures the explorer: sizes of pages, load times, and how smoothly a large graph moves.
func (b *bench) pages(ctx context.Context) error {
	program := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		fmt.Fprintf(&b.report, "\n## Pages\n\nNot measured: no Chromium is here.\n")
		return nil
	}
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := server.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	all := strings.Split(*sizes, ",")
	filled, err := strconv.Atoi(strings.TrimSpace(all[len(all)-1]))
	if err != nil {
		return fmt.Errorf("-decisions: %w", err)
	}
	if err := runOnDriver(ctx, driver, rulesOfPages, nil); err != nil {
		return err
	}
	for from := 0; from < filled; from += fillBatch {
		fmt.Fprintf(os.Stderr, "Filling: %d of %d decisions\n", from, filled)
		for _, statement := range []string{fillPages, linkPages} {
			if err := runOnDriver(ctx, driver, statement, map[string]any{"from": from, "to": min(filled, from+fillBatch)}); err != nil {
				return err
			}
		}
	}
	if err := server.close(); err != nil {
		return err
	}
	target, err := b.serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.WindowSize(1280, 800))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	browser, leave := chromedp.NewContext(allocator)
	defer leave()
	if err := chromedp.Do(browser); err != nil {
		return err
	}
	floor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, floorPage) }))
	defer floor.Close()
	v := &visits{bench: b, target: target, browser: browser, filled: filled, floor: floor.URL + "/"}
	if err := v.all(); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		run  func() error
	}{{"interactions", v.interactions}, {"layout of a large graph", v.layout}, {"smoothness of a large graph", v.smoothness}} {
		fmt.Fprintf(os.Stderr, "Measuring %s\n", part.name)
		if err := part.run(); err != nil {
			return err
		}
	}
	return nil
}

// visits are the page visits of one browser at one server.
type visits struct {
	*bench
	target  *httpServer
	browser context.Context
	filled  int    // number of decisions in the graph
	floor   string // URL of a page without data
}

// floorPage costs only what the browser needs for any page.
const floorPage = `<!doctype html><html lang="en"><title>Floor</title><h1>Floor</h1><a href="/">Next</a></html>`

// addresses returns the URLs to visit. It runs a check to create a verdict and a session for their pages.
func (v *visits) addresses() ([]string, error) {
	var verdict struct {
		ID string `json:"verdict_id"`
	}
	if err := v.ask(http.MethodPost, "/api/v1/checks", `{"description": "Deploy", "stakes": "high", "confidence": 0.4, "agent_id": "ada"}`, &verdict); err != nil {
		return nil, err
	}
	var list struct {
		Sessions []struct {
			UID string `json:"uid"`
		} `json:"sessions"`
	}
	for started := time.Now(); len(list.Sessions) == 0; time.Sleep(100 * time.Millisecond) { // events are written in the background
		if err := v.ask(http.MethodGet, "/api/v1/sessions?limit=1", "", &list); err != nil {
			return nil, err
		}
		if time.Since(started) > time.Minute {
			return nil, errors.New("no session was left")
		}
	}
	var proposal struct {
		ID string `json:"proposal_id"`
	}
	if err := v.ask(http.MethodPost, "/api/v1/proposals", `{"set": {"page_threshold": 0.8}, "reason": "measured", "date_after": "1d"}`, &proposal); err != nil {
		return nil, err
	}
	of := map[string]string{"proposal": "/proposals/" + proposal.ID, "exception": "/exceptions/page-exception", "propose": "/propose?threshold=page_threshold&value=0.8", "autonomy": "/autonomy?agent=ada",
		"decision": "/decisions/00000007", "impact": "/impact?decision=00000007", "verdict": "/verdicts/" + verdict.ID, "policy": "/policy?name=page-policy", "threshold": "/threshold?name=page_threshold", "session": "/session?id=" + list.Sessions[0].UID,
		"agent": "/agent?name=ada", "project": "/project?name=acme%2Fshop", "search": "/search?q=part", "tuning": "/tuning?name=page_threshold", "table": "/tables/page_table", "pack": "/packs/page-pack", "atlas": "/atlases/page-atlas"}
	addresses := []string{"/graph?node=00000007"}
	for _, page := range pages.Table() {
		addresses = append(addresses, cmp.Or(of[page.Name], page.Path))
	}
	return addresses, nil
}

func (v *visits) ask(method, path, body string, into any) error {
	r, err := http.NewRequestWithContext(v.browser, method, v.target.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := v.target.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s is answered with %s", path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

func (v *visits) all() error {
	fmt.Fprintf(&v.report, "\n## Pages (headless Chromium; %d decisions, each linked to up to three; %d visits of each)\n\n| page | kB compressed, with all that it loads | server ms, p50 | first contentful paint ms, p50 | p95 | complete ms, p50 | p95 | beyond the server, p50 |\n|---|---|---|---|---|---|---|---|\n",
		v.filled, pageVisits)
	addresses, err := v.addresses()
	if err != nil {
		return err
	}
	var floorServed, floorPainted, floorComplete sample
	for i, address := range addresses {
		fmt.Fprintf(os.Stderr, "Page %d of %d: %s\n", i+1, len(addresses), address)
		bytes, err := v.size(address)
		if err != nil {
			return fmt.Errorf("%s: %w", address, err)
		}
		var served, painted, complete, rest sample
		for range pageVisits {
			least, err := v.visit(v.floor)
			if err != nil {
				return err
			}
			floorServed, floorPainted, floorComplete = append(floorServed, milliseconds(least[0])), append(floorPainted, milliseconds(least[3])), append(floorComplete, milliseconds(least[1]))
			times, err := v.visit(address)
			if err != nil {
				return fmt.Errorf("%s: %w", address, err)
			}
			served, painted = append(served, milliseconds(times[0])), append(painted, milliseconds(times[3]))
			complete, rest = append(complete, milliseconds(times[1])), append(rest, milliseconds(times[1]-times[0]))
		}
		fmt.Fprintf(&v.report, "| %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", address, float64(bytes)/1000, served.p50(), painted.p50(), painted.at(0.95), complete.p50(), complete.at(0.95), rest.p50())
	}
	fmt.Fprintf(&v.report, "| floor: a heading, visited before each visit | 0 | %.1f | %.1f | %.1f | %.1f | %.1f | |\n", floorServed.p50(), floorPainted.p50(), floorPainted.at(0.95), floorComplete.p50(), floorComplete.at(0.95))
	return nil
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// visit opens a page by its path, or the floor by its URL. It returns the milliseconds until the response and until the page and its script have finished, the status, and
// the milliseconds until the first contentful paint.
func (v *visits) visit(address string) ([]float64, error) {
	ctx, end := context.WithTimeout(v.browser, time.Minute)
	defer end()
	if strings.HasPrefix(address, "/") {
		address = v.target.url + address
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		return nil, err
	}
	times, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`new Promise((say) => {
		const look = () => {
			const at = performance.getEntriesByType("navigation")[0], paint = performance.getEntriesByName("first-contentful-paint")[0];
			if (at.loadEventEnd === 0 || !paint || document.querySelector("script[type=module]") && !("done" in document.body.dataset)) return setTimeout(look, 2);
			say([at.responseStart - at.startTime, Math.max(at.loadEventEnd, Number(document.body.dataset.done) || 0) - at.startTime, at.responseStatus, paint.startTime]);
		};
		look();
	})`, chromedp.EvalAwaitPromise))
	if err == nil && times[2] != http.StatusOK {
		return nil, fmt.Errorf("the page is answered with %.0f", times[2])
	}
	return times, err
}

var assetsIn = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

// size returns the transferred bytes of a page with an empty browser cache.
func (v *visits) size(address string) (int, error) {
	text, total, err := v.compressed(address)
	if err != nil {
		return 0, err
	}
	for _, found := range assetsIn.FindAllStringSubmatch(text, -1) {
		_, n, err := v.compressed(found[1])
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

func (v *visits) compressed(address string) (string, int, error) {
	r, err := http.NewRequestWithContext(v.browser, http.MethodGet, v.target.url+address, nil)
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Accept-Encoding", "gzip")
	answer, err := v.target.client.Do(r)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil || answer.Header.Get("Content-Encoding") != "gzip" {
		return string(raw), len(raw), err
	}
	plain, err := gzip.NewReader(strings.NewReader(string(raw)))
	if err != nil {
		return "", 0, err
	}
	text, err := io.ReadAll(plain)
	return string(text), len(raw), err
}

// interaction is an input on a page with a measurable answer.
type interaction struct {
	name, address string
	prepare       string // expression that prepares the input and returns the selector of what is clicked
	answered      string // condition on the same page, in the frame that shows the answer; "" if the click opens another page
}

// replaced is the condition that a list was replaced.
const replaced = `!("before" in document.body.dataset) && "done" in document.body.dataset`

// interactions measures from a click to the frame with the answer. A click that opens another page is answered by that page's first
// contentful paint.
func (v *visits) interactions() error {
	fmt.Fprintf(&v.report, "\n### Interaction (from the click to the frame with the answer; %d times)\n\n| input | ms, p50 | p95 |\n|---|---|---|\n", pageVisits)
	for _, i := range []interaction{
		{"apply a filter of decisions", "/decisions?category=architecture", `(document.getElementById("outcome").value = "failure", "details .find button.quiet")`, replaced},
		{"open a decision", "/decisions", `"a.decision"`, ""},
		{"next page of decisions", "/decisions", `(() => { const older = Array.from(document.querySelectorAll("main a.button")).find((link) => link.innerText === "Older"); older.id = "older"; return "#older"; })()`, replaced},
		{"hide an outcome in the graph", "/graph?node=00000007", `".keys button"`, `document.querySelector(".keys button")?.getAttribute("aria-pressed") === "false"`},
	} {
		var took sample
		for range pageVisits {
			ms, err := v.interact(i)
			if err != nil {
				return fmt.Errorf("%s: %w", i.name, err)
			}
			took = append(took, milliseconds(ms))
		}
		fmt.Fprintf(&v.report, "| %s | %.1f | %.1f |\n", i.name, took.p50(), took.at(0.95))
	}
	return nil
}

func (v *visits) interact(i interaction) (float64, error) {
	if _, err := v.visit(i.address); err != nil {
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
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[int](`(() => { const look = () => { if (`+i.answered+`) requestAnimationFrame(() => { window.answered = performance.timeOrigin + performance.now(); }); else requestAnimationFrame(look); }; look(); return 0; })()`)); err != nil {
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
		ms, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`(() => { const at = `+answer+`; return at ? at - Number(sessionStorage.getItem("clicked")) : 0; })()`))
		if err == nil && ms > 0 {
			return ms, nil
		}
		if ctx.Err() != nil { // an evaluation also fails while the next page replaces this one
			return 0, cmp.Or(err, ctx.Err())
		}
	}
}

// layoutNodes is the size of the graph whose layout is measured; the server computes the layout of larger graphs.
const layoutNodes = 2000

// layout opens a large graph and records frames while the worker refines its layout.
func (v *visits) layout() error {
	ctx, end := context.WithTimeout(v.browser, 2*time.Minute)
	defer end()
	watch, err := chromedp.Run(ctx, onNewDocument(`(() => {
		const seen = window.bench = { frames: [], usable: 0, last: 0 };
		const look = (now) => {
			if (!seen.usable && document.querySelector("#stage canvas")) seen.usable = now;
			if (seen.usable && seen.last) seen.frames.push(now - seen.last);
			seen.last = now;
			if (!document.body || !("done" in document.body.dataset)) requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	})()`))
	if err != nil {
		return err
	}
	times, err := v.visit(fmt.Sprintf("/graph?depth=5&limit=%d&node=00000000", layoutNodes))
	if err != nil {
		return err
	}
	if err := chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: watch})
		return err
	})); err != nil {
		return err
	}
	seen, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("counted").innerText`))
	if err != nil {
		return err
	}
	frames, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`[bench.usable, ...bench.frames]`))
	if err != nil {
		return err
	}
	if frames[0] == 0 || len(frames) < 3 {
		return errors.New("the graph has no canvas, or its layout took no frame")
	}
	var took sample
	for _, ms := range frames[1:] {
		took = append(took, milliseconds(ms))
	}
	fmt.Fprintf(&v.report, "\n### Layout\n\n`/graph?depth=5&limit=%d` shows %s. It is usable after %.0f ms, with the server's layout. The refined layout is there after %.0f ms. Until then %d frames were drawn (p50 %.1f ms, p95 %.1f ms, longest %.0f ms).\n",
		layoutNodes, seen, frames[0], times[1], len(took), took.p50(), took.at(0.95), took.at(1))
	return nil
}

// onNewDocument runs a script before the scripts of each page that is opened later. It returns its identifier.
func onNewDocument(script string) chromedp.Action[page.ScriptIdentifier] {
	return func(ctx context.Context, t *chromedp.Target) (page.ScriptIdentifier, error) {
		added, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		if err != nil {
			return "", err
		}
		return added.Identifier, nil
	}
}

// smoothness pans over a graph of the maximum size and counts frames.
func (v *visits) smoothness() error {
	if _, err := v.visit("/graph?depth=5&limit=10000&node=00000000"); err != nil {
		return err
	}
	ctx, end := context.WithTimeout(v.browser, 2*time.Minute)
	defer end()
	gl, err := chromedp.Run(ctx, chromedp.Evaluate[string](`(() => { const gl = document.createElement("canvas").getContext("webgl"), info = gl.getExtension("WEBGL_debug_renderer_info");
		return gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER); })()`))
	if err != nil {
		return err
	}
	seen, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.getElementById("counted").innerText`))
	if err != nil {
		return err
	}
	center, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(`(async () => {
		const { show } = await import(document.querySelector("script[type=module]").src);
		const nodes = [], edges = [];
		for (let i = 0; i < %[1]d; i++) { // a spiral, in which links are long and short
			const far = Math.sqrt(i), turn = i * 2.399963;
			nodes.push({ id: String(i), title: "Decide on part " + i, x: far * Math.cos(turn), y: far * Math.sin(turn), size: (i %% 10) / 10, outcome: ["success", "failure", "", "partial"][i %% 4] });
		}
		for (let i = 0; i < %[2]d; i++) edges.push({ source_id: String(i %% %[1]d), target_id: String((i * 7919 + 1 + Math.floor(i / %[1]d) * 37) %% %[1]d), edge_type: "depends_on", weight: 1 });
		const began = performance.now();
		const renderer = await show({ center: "0", nodes, edges });
		await new Promise(requestAnimationFrame);
		for (const name of ["edges", "nodes"]) { const gl = renderer.getCanvases()[name].getContext("webgl2"); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); } // wait until it is drawn
		const bench = window.bench = { drawn: performance.now() - began, order: renderer.getGraph().order, size: renderer.getGraph().size, times: [], last: 0, renders: 0, shown: "" };
		renderer.on("afterRender", () => bench.renders++);
		const look = (now) => { // a frame counts if the picture differs from the one before
			const shows = bench.renders + renderer.getCanvases().nodes.style.transform;
			if (shows !== bench.shown) { if (bench.last) bench.times.push(now - bench.last); [bench.last, bench.shown] = [now, shows]; }
			requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
		const at = document.getElementById("stage").getBoundingClientRect();
		return [at.x + at.width / 2, at.y + at.height / 2];
	})()`, pageNodes, pageLinks), chromedp.EvalAwaitPromise))
	if err != nil {
		return err
	}
	frames, err := v.drag(ctx, center[0], center[1])
	if err != nil {
		return err
	}
	if len(frames) < 5 {
		return errors.New("no frame was drawn")
	}
	how := "Each frame was drawn again."
	if frames[3] > 0 {
		how = "A new drawing takes longer than a frame may, so the old drawing was moved, and drawn again at its final position."
	}
	var took sample
	sum := 0.0
	for _, ms := range frames[4:] {
		took = append(took, time.Duration(ms*float64(time.Millisecond)))
		sum += ms
	}
	fmt.Fprintf(&v.report, "\n`/graph?depth=5&limit=10000` shows %s. A graph of %.0f nodes and %.0f links, drawn %.0f ms after it was there, is dragged by the mouse for %v at %.0f frames a second (frame p50 %.1f ms, p95 %.1f ms), drawn by %s. %s\n",
		seen, frames[1], frames[2], frames[0], panning, float64(len(took))/sum*1000, took.p50(), took.at(0.95), gl, how)
	return nil
}

// drag pans the graph with the mouse. It returns the drawing time, the numbers of nodes and links, 1 if the canvases
// were moved without redrawing, and the duration of each frame, all times in milliseconds.
func (v *visits) drag(ctx context.Context, x, y float64) ([]float64, error) {
	if err := chromedp.Do(ctx, chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)), chromedp.MouseEvent(chromedp.MouseMoved, x+8, y+8, chromedp.ButtonLeft)); err != nil {
		return nil, err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[int](`bench.times.length = bench.last = bench.renders = 0`)); err != nil {
		return nil, err
	}
	for began := time.Now(); time.Since(began) < panning; {
		turn := time.Since(began).Seconds()
		if err := chromedp.Do(ctx, chromedp.MouseEvent(chromedp.MouseMoved, x+200*math.Sin(2*turn), y+150*math.Sin(3*turn), chromedp.ButtonLeft)); err != nil {
			return nil, err
		}
	}
	frames, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](`[bench.drawn, bench.order, bench.size, bench.times.length > 2 * bench.renders ? 1 : 0, ...bench.times]`))
	if err != nil {
		return nil, err
	}
	return frames, chromedp.Do(ctx, chromedp.MouseEvent(chromedp.MouseReleased, x, y, chromedp.ButtonLeft))
}
