package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/events"
	"nomograph/server/pages"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// site is a server with pages on a clean graph.
type site struct {
	graph *graphtest.Graph
	env   *tools.App
	url   string
	key   []byte
}

// open serves pages on loopback, where nobody is asked who they are.
func open(t *testing.T) *site {
	t.Helper()
	g, env := toolstest.Open(t)
	return serve(t, g, env, nil)
}

// serve serves pages. With callers, by their tokens, everybody is asked who they are.
func serve(t *testing.T, g *graphtest.Graph, env *tools.App, callers map[string]caller.Caller) *site {
	t.Helper()
	s := &site{graph: g, env: env, key: pages.NewKey()}
	settle := func(r *http.Request) (caller.Caller, error) {
		if callers == nil {
			return caller.Caller{Trusted: true}, nil
		}
		if who, known := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]; known {
			return who, nil
		}
		return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The token is not one that is known")
	}
	h := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(), Settle: settle})
	operations, problems := tools.Operations("") // with the shipped queries, as the program serves them
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pages.New(env.Runner(), pages.Options{Operations: operations, Key: s.key, Open: callers == nil, Settle: settle, Sessions: tokens.NewRegistry(env.Tokens, tokens.NewUsageCounter(env.Tokens, zerolog.Nop()), zerolog.Nop()), Live: events.New(env.Runner()), Log: zerolog.Nop()}).Serve(h)
	served := httptest.NewServer(h.Handler())
	t.Cleanup(served.Close)
	s.url = served.URL
	return s
}

// invited is the address of a page as `nomograph open` gives it.
func (s *site) invited(path string) string {
	return s.url + pages.WithInvitation(path, pages.Invitation(s.key, strings.TrimPrefix(s.url, "http://"), "ada"))
}

// client is a browser without scripts: it keeps cookies and follows to where it is sent.
func (s *site) client(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// get asks for a page as anybody may.
func (s *site) get(t *testing.T, path string, headers ...string) (int, http.Header, string) {
	t.Helper()
	return s.as(t, http.DefaultClient, http.MethodGet, s.url+path, "", headers...)
}

// as asks as a client does, with a form where there is one.
func (s *site) as(t *testing.T, client *http.Client, method, url, form string, headers ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if method == http.MethodGet { // as a browser asks for a page
		r.Header.Set("Sec-Fetch-Site", "none")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(text)
}

// TestMain ends the package's browser, where a test has started it.
func TestMain(m *testing.M) {
	code := m.Run()
	if stopBrowser != nil {
		stopBrowser()
	}
	os.Exit(code)
}

var stopBrowser func()

// theBrowser is the one of all tests of the package; "" says why there is none.
var theBrowser = sync.OnceValues(func() (context.Context, string) {
	program := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, "no Chromium is here; scripts/clients.sh installs it where it may"
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("force-color-profile", "srgb"), chromedp.WindowSize(1280, 800))
	if os.Getuid() == 0 { // its sandbox needs a user without rights
		options = append(options, chromedp.NoSandbox)
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	browser, close := chromedp.NewContext(allocator)
	if err := chromedp.Do(browser); err != nil {
		end()
		return nil, "Chromium does not start: " + err.Error()
	}
	stopBrowser = func() { close(); end() }
	return browser, ""
})

// tab is a tab of the browser, in a profile of its own.
type tab struct {
	t    *testing.T
	site *site
	ctx  context.Context

	mu       sync.Mutex
	problems []string // that its console told of
}

const timeout = 3 * time.Minute // with a machine that has much else to do

// browse opens a tab of a visitor whom `nomograph open` sent.
func (s *site) browse(t *testing.T) *tab {
	t.Helper()
	b := s.stranger(t)
	b.open(s.invited("/"))
	return b
}

// stranger opens a tab of a visitor whom nobody sent.
func (s *site) stranger(t *testing.T) *tab {
	t.Helper()
	browser, why := theBrowser()
	if why != "" {
		t.Skip("LOUD: the pages are not tried in a browser: " + why)
	}
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	b := &tab{t: t, site: s, ctx: ctx}
	b.listen()
	b.do(chromedp.EmulateViewport(1280, 800))
	return b
}

// another opens one more tab of the same visitor.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	other := &tab{t: b.t, site: b.site, ctx: ctx}
	other.listen()
	return other
}

// listen gathers what goes wrong in the tab.
func (b *tab) listen() {
	messages := chromedp.Console(b.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			driver := strings.Contains(message.String(), "GL Driver Message") // software graphics are slow, and say so
			if message.IsException() || !driver && (message.Type == "error" || message.Type == "warning") {
				b.mu.Lock()
				b.problems = append(b.problems, message.String())
				b.mu.Unlock()
			}
		}
	}()
}

// quiet fails where a script threw, or the policy kept something from being loaded.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		b.t.Errorf("the console tells: %s", problem)
	}
	b.problems = nil
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, timeout)
	defer end()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.fatal(err)
	}
}

// fatal ends the test with what the page shows.
func (b *tab) fatal(err error) {
	b.t.Helper()
	shows, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 1500)`))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Fatalf("%v\n%s\n%v", err, shows, b.problems)
}

// open goes to an address and waits for the page and its script.
func (b *tab) open(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.settled()
}

// to goes to a page of the site.
func (b *tab) to(path string) {
	b.t.Helper()
	b.open(b.site.url + path)
}

// settled waits until the page's script, if it has one, says that it shows what it has.
func (b *tab) settled() {
	b.t.Helper()
	b.until(`document.readyState === "complete" && (!document.querySelector("script[type=module]") || "done" in document.body.dataset)`)
}

// until waits until something holds on the page, or on the one that comes after it.
func (b *tab) until(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`Boolean(`+condition+`)`)); err == nil && is {
			return
		} else if time.Now().After(deadline) {
			b.fatal(fmt.Errorf("it does not come to %s: %w", condition, err))
		}
	}
}

// eval gives what an expression is on the page, once that is settled.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, end := context.WithTimeout(b.ctx, timeout)
	defer end()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.fatal(err)
	}
	return value
}

// text is what a person reads in the first element that a selector finds.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`(document.querySelector(%q) ?? {innerText: "NOTHING IS THERE"}).innerText`, selector))
}

// click presses something as a mouse does, and waits for the page that it may lead to.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// follow clicks what leads to another page, and waits for that.
func (b *tab) follow(selector string) {
	b.t.Helper()
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
}

// tap touches a place of the screen as a finger does.
func (b *tab) tap(x, y float64) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, touch := range []input.DispatchTouchEventParams{{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: []*input.TouchPoint{{X: x, Y: y}}}, {Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}} {
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, touch); err != nil {
				return err
			}
		}
		return nil
	}))
}

// withoutScripts makes the tab one that runs none.
func (b *tab) withoutScripts() {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// typed puts words into a field, as a keyboard does.
func (b *tab) typed(selector, words string) {
	b.t.Helper()
	eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = ""`, selector))
	b.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), words))
}

// focused and key are steps of somebody who has no mouse.
func focused(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Focus(chromedp.CSS(selector))
}
func key(keys string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(keys) }

// tab goes on with the Tab key until a selector finds what has the focus.
func (b *tab) tab(selector string) {
	b.t.Helper()
	for range 200 {
		if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
		b.do(key("\t"))
	}
	b.t.Fatalf("the Tab key does not come to %s: %s", selector, eval[string](b, "document.activeElement.outerHTML"))
}

// keyed goes to a field by the Tab key and puts words into it.
func (b *tab) keyed(selector, words string) {
	b.t.Helper()
	b.tab(selector)
	eval[string](b, `document.activeElement.value = ""`)
	b.do(key(words))
}

// pressed goes to a button by the Tab key, presses Enter, and waits for the page that comes.
func (b *tab) pressed(selector string) {
	b.t.Helper()
	b.tab(selector)
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(key("\r"))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
}

// scheme sets whether the visitor likes pages light or dark.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	}))
}

// looked counts what axe-core looked at.
var looked int

// accessible runs axe-core and fails for what is serious in it: once light, the next time dark. TestColorsCanBeRead holds the colors of both.
func (b *tab) accessible() {
	b.t.Helper()
	_, modules := toolstest.NPM(b.t)
	axe, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		b.t.Fatal(err)
	}
	scheme := []string{"light", "dark"}[looked%2]
	looked++
	b.scheme(scheme)
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	said := eval[string](b, string(axe)+`; axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations))`)
	if err := json.Unmarshal([]byte(said), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		if f.Impact == "serious" || f.Impact == "critical" {
			for _, node := range f.Nodes {
				b.t.Errorf("%s, %s: %s: %s\n%s", scheme, f.Impact, f.Help, node.HTML, node.FailureSummary)
			}
		}
	}
}

// picture writes how the page looks, light and dark, to docs/pictures.
func (b *tab) picture(name string) {
	b.t.Helper()
	folder := filepath.Join(toolstest.Root(b.t), "docs", "pictures")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		var picture []byte
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			quality := int64(80)
			taken, err := cdp.Call(ctx, t, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
			if err == nil {
				picture = taken.Data
			}
			return err
		}))
		if err := os.WriteFile(filepath.Join(folder, name+"-"+scheme+".webp"), picture, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
	b.scheme("light")
}

// onward is a client that tells where it is led, and does not go.
func onward(client *http.Client) *http.Client {
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}
