package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// site is a server with pages on an empty graph.
type site struct {
	graph *graphtest.Graph
	env   *tools.App
	url   string
	key   []byte
}

// open serves pages on loopback without authentication.
func open(t *testing.T) *site {
	t.Helper()
	g, env := toolstest.Open(t)
	return serve(t, g, env, nil)
}

// serve serves pages. callers maps tokens to callers; if it is not nil, authentication is required.
func serve(t *testing.T, g *graphtest.Graph, env *tools.App, callers map[string]caller.Caller) *site {
	t.Helper()
	s := &site{graph: g, env: env, key: pages.NewKey()}
	authenticate := func(r *http.Request) (caller.Caller, error) {
		if callers == nil {
			return caller.Caller{Trusted: true}, nil
		}
		if who, ok := callers[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]; ok {
			return who, nil
		}
		return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The token is not one that is known")
	}
	h := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(), Authenticate: authenticate})
	operations, problems := tools.Operations("") // with the shipped queries, as in the program
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	pages.New(env.Runner(), pages.Options{Operations: operations, Key: s.key, Unauthenticated: callers == nil,
		Authenticate: authenticate, Sessions: tokens.NewRegistry(env.Tokens,
			tokens.NewUsageCounter(env.Tokens, zerolog.Nop()), zerolog.Nop()), Live: events.New(env.Runner()),
		Log: zerolog.Nop()}).Serve(h)
	served := httptest.NewServer(h.Handler())
	t.Cleanup(served.Close)
	s.url = served.URL
	return s
}

// invited returns a page's URL with an invitation, as `nomograph open` does.
func (s *site) invited(path string) string {
	return s.url + pages.WithInvitation(path, pages.Invitation(s.key, strings.TrimPrefix(s.url, "http://"), "ada"))
}

// client returns an HTTP client that keeps cookies and follows redirects, like a browser without JavaScript.
func (s *site) client(t *testing.T) *http.Client {
	t.Helper()
	jar := graphtest.Must(cookiejar.New(nil))(t)
	return &http.Client{Jar: jar}
}

// get requests a page without a session.
func (s *site) get(t *testing.T, path string, headers ...string) (int, http.Header, string) {
	t.Helper()
	return s.as(t, http.DefaultClient, http.MethodGet, s.url+path, "", headers...)
}

// shows reads a page and looks for texts; after "!" stands a text that the page must not have.
func (s *site) shows(t *testing.T, path string, texts ...string) {
	t.Helper()
	s.answers(t, path, http.StatusOK, texts...)
}

// answers is shows for a page with a status.
func (s *site) answers(t *testing.T, path string, want int, texts ...string) {
	t.Helper()
	status, _, page := s.get(t, path)
	graphtest.Equal(t, status, want, path+": "+page)
	look(t, path, page, texts)
}

// look looks for texts in what is shown somewhere; after "!" stands a text that must not be there.
func look(t *testing.T, where, shown string, texts []string) {
	t.Helper()
	for _, text := range texts {
		if left, absent := strings.CutPrefix(text, "!"); strings.Contains(shown, left) == absent {
			t.Errorf("%s shows %q: got %v, want %v: %s", where, left, absent, !absent, shown)
		}
	}
}

// as sends a request, or a form if it is not empty, with a client's cookies.
func (s *site) as(t *testing.T, client *http.Client, method, url, form string, headers ...string) (int, http.Header,
	string) {
	t.Helper()
	var all []string
	if form != "" {
		all = append(all, "Content-Type", "application/x-www-form-urlencoded")
	}
	if method == http.MethodGet { // like a browser that requests a page
		all = append(all, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	}
	return graphtest.Send(t, client, method, url, form, append(all, headers...)...)
}

// TestMain lets pages wait for their counts on a slow machine. It stops the browser of the package if a test started
// it.
func TestMain(m *testing.M) {
	pages.WithCountWait(time.Hour)
	code := m.Run()
	if stopBrowser != nil {
		stopBrowser()
	}
	os.Exit(code)
}

var stopBrowser func()

// theBrowser starts the browser that all tests of the package share. If it cannot, the second result says why.
var theBrowser = sync.OnceValues(func() (context.Context, string) {
	program := ""
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "chromium", "chromium-browser",
		"google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		return nil, "no Chromium is here; scripts/clients.sh installs it where it may"
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program),
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-gpu-compositing", true), // only WebGL needs the emulated graphics card
		chromedp.Flag("force-color-profile", "srgb"), chromedp.WindowSize(1280, 800))
	if os.Getuid() == 0 { // Chrome's sandbox does not run as root
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

// tab is a browser tab with its own profile.
type tab struct {
	presses int // of links and buttons
	t       *testing.T
	site    *site
	ctx     context.Context

	plain   bool   // JavaScript is disabled
	visited func() // checks each page that has settled; may be nil

	mu       sync.Mutex
	problems []string // errors and warnings of the console
}

const timeout = 3 * time.Minute // enough for a busy machine

// browse opens a tab of a visitor who came through `nomograph open`, on a page that reads little.
func (s *site) browse(t *testing.T) *tab {
	t.Helper()
	b := s.stranger(t)
	b.open(s.invited("/more"))
	return b
}

// needLibraries skips the rest of a test of the interactive graph if a new worktree does not have its libraries.
func needLibraries(t *testing.T) {
	t.Helper()
	for _, name := range []string{"sigma.min.js", "graphology.umd.min.js"} {
		if _, err := os.Stat(filepath.Join("libraries", name)); err != nil {
			t.Skip("LOUD: the interactive graph is not tried in a browser, run scripts/pages.sh: " + err.Error())
		}
	}
}

// stranger opens a tab of a visitor without an invitation.
func (s *site) stranger(t *testing.T) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
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

// another opens a second tab with the same profile.
func (b *tab) another() *tab {
	b.t.Helper()
	ctx, end := chromedp.NewContext(b.ctx)
	b.t.Cleanup(end)
	other := &tab{t: b.t, site: b.site, ctx: ctx}
	other.listen()
	return other
}

// listen collects console errors and warnings of the tab.
func (b *tab) listen() {
	messages := chromedp.Console(b.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			driver := strings.Contains(message.String(),
				"GL Driver Message") // software rendering is slow and reports it
			if message.IsException() || !driver && (message.Type == "error" || message.Type == "warning") {
				b.mu.Lock()
				b.problems = append(b.problems, message.String())
				b.mu.Unlock()
			}
		}
	}()
}

// quiet fails on script errors and violations of the content security policy.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, problem := range b.problems {
		b.t.Errorf("console: %s", problem)
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

// fatal fails the test and prints the page.
func (b *tab) fatal(err error) {
	b.t.Helper()
	shows, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 1500)`))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Fatalf("%v\n%s\n%v", err, shows, b.problems)
}

// open navigates to a URL and waits for the page and its script.
func (b *tab) open(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address))
	b.settled()
}

// to navigates to a page of the site.
func (b *tab) to(path string) {
	b.t.Helper()
	b.open(b.site.url + path)
}

// settled waits until the page's script, if any, has finished rendering.
func (b *tab) settled() {
	b.t.Helper()
	if b.plain {
		b.until(`document.readyState === "complete"`)
	} else {
		b.until(`document.readyState === "complete" && (!document.querySelector("script[type=module]") || "done" in document.body.dataset)`)
	}
	if b.visited != nil {
		b.visited()
	}
}

// until waits until a condition holds on the current or the next page.
func (b *tab) until(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`Boolean(`+condition+`)`)); err == nil && is {
			return
		} else if time.Now().After(deadline) {
			b.fatal(fmt.Errorf("timeout while waiting for %s: %w", condition, err))
		}
	}
}

// eval returns the value of an expression on the settled page.
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

// is compares the value of an expression on the settled page. why says what is wrong otherwise.
func is[T comparable](b *tab, expression string, want T, why ...any) {
	b.t.Helper()
	if got := eval[T](b, expression); got != want {
		b.t.Errorf("%s: %s: got %v, want %v", fmt.Sprint(why...), expression, got, want)
	}
}

// shownAt is the expression for the visible text of the first element that matches a selector.
func shownAt(selector string) string {
	return fmt.Sprintf(`(document.querySelector(%q) ?? {innerText: "NOTHING IS THERE"}).innerText`, selector)
}

// text returns the visible text of the first element that matches a selector.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, shownAt(selector))
}

// click clicks an element and waits for a page load if it starts one.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// follow clicks an element that opens another page and waits for that page.
func (b *tab) follow(selector string) {
	b.t.Helper()
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
}

// tap touches a point of the screen.
func (b *tab) tap(x, y float64) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, touch := range []input.DispatchTouchEventParams{{Type: input.DispatchTouchEventTypeTouchStart,
			TouchPoints: []*input.TouchPoint{{X: x, Y: y}}},
			{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}} {
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, touch); err != nil {
				return err
			}
		}
		return nil
	}))
}

// withoutScripts disables JavaScript in the tab.
func (b *tab) withoutScripts() {
	b.t.Helper()
	b.plain = true
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

// fill types words into a field.
func (b *tab) fill(selector, words string) {
	b.t.Helper()
	eval[string](b, fmt.Sprintf(`document.querySelector(%q).value = ""`, selector))
	b.do(chromedp.Focus(chromedp.CSS(selector)), chromedp.SendKeys(chromedp.CSS(selector), words))
}

// focused and key are steps of keyboard navigation.
func focused(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Focus(chromedp.CSS(selector))
}
func key(keys string) chromedp.Action[chromedp.Void] { return chromedp.KeyEvent(keys) }

// tab presses Tab until the focused element matches a selector.
func (b *tab) tab(selector string) {
	b.t.Helper()
	for range 200 {
		if eval[bool](b, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
		b.do(key("\t"))
	}
	b.t.Fatalf("the Tab key does not reach %s, but %s", selector, eval[string](b, "document.activeElement.outerHTML"))
}

// keyed moves to a field with Tab and types words into it.
func (b *tab) keyed(selector, words string) {
	b.t.Helper()
	b.tab(selector)
	eval[string](b, `document.activeElement.value = ""`)
	b.do(key(words))
}

// pressed moves to a button with Tab, presses Enter, and waits for the next page.
func (b *tab) pressed(selector string) {
	b.t.Helper()
	b.presses++
	b.tab(selector)
	eval[string](b, `document.body.dataset.before = ""`)
	b.do(key("\r"))
	b.until(`!("before" in document.body.dataset)`)
	b.settled()
}

// scheme sets the preferred color scheme of the visitor.
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	}))
}

// paper prepares the page for printing, from a browser with the dark color scheme.
func (b *tab) paper() {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Media: "print",
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return err
	}))
}

// looked counts runs of axe-core.
var looked int

// accessible runs axe-core and fails on every finding. Calls alternate between the color schemes;
// TestPages_Colors_HaveContrast checks the colors of both.
func (b *tab) accessible() {
	b.t.Helper()
	_, modules := toolstest.NPM(b.t)
	axe := graphtest.Must(os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js")))(b.t)
	scheme := []string{"light", "dark"}[looked%2]
	looked++
	b.scheme(scheme)
	var found []struct {
		ID, Impact, Help string
		Nodes            []struct{ HTML, FailureSummary string }
	}
	text := eval[string](b, string(axe)+`; axe.run(document, {resultTypes: ["violations"]}).then((r) => JSON.stringify(r.violations))`)
	graphtest.OK(b.t, json.Unmarshal([]byte(text), &found))
	for _, f := range found {
		for _, node := range f.Nodes {
			b.t.Errorf("%s, %s: %s: %s\n%s", scheme, f.Impact, f.Help, node.HTML, node.FailureSummary)
		}
	}
}

// picture writes screenshots of the page in color schemes to docs/pictures.
func (b *tab) picture(name string, schemes ...string) {
	b.t.Helper()
	folder := filepath.Join(toolstest.Root(b.t), "docs", "pictures")
	graphtest.OK(b.t, os.MkdirAll(folder, 0o755))
	for _, scheme := range schemes {
		b.scheme(scheme)
		var picture []byte
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			quality := int64(60)
			taken, err := cdp.Call(ctx, t, page.CaptureScreenshot,
				page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
			if err == nil {
				picture = taken.Data
			}
			return err
		}))
		graphtest.OK(b.t, os.WriteFile(filepath.Join(folder, name+"-"+scheme+".webp"), picture, 0o644))
	}
	b.scheme("light")
}

// onward returns a client that does not follow redirects.
func onward(client *http.Client) *http.Client {
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}
