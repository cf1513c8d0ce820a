package pages_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/server/mcp"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const refunds = `{"atlases": [{"name": "refunds.yaml", "text": "atlas_version: \"1.0\"\natlas_id: refunds\nversion: 1.0.0\nname: Refunds\nactions: [{action_id: refund.pay, risk_tier: high}]\npolicies: [{policy_id: by-a-person, type: requires_approval, actions: [refund.pay], reason: Money leaves the shop}]\n"}]}`

// hosted opens the official host of MCP Apps, connected to a server of the site's graph.
func (s *site) hosted(t *testing.T) *tab {
	t.Helper()
	_, modules := toolstest.NPM(t)
	h := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(*http.Request) (caller.Caller, error) { return caller.Caller{Trusted: true}, nil }})
	operations := graphtest.Must(tools.Select(tools.Catalog, []string{"all"}))(t)
	h.Handle("/mcp", mcp.New(s.env.Runner(), mcp.Options{Operations: operations, Log: zerolog.Nop()}).HTTP())
	mux := http.NewServeMux()
	mux.Handle("/mcp", h.Handler())
	mux.Handle("/modules/", http.StripPrefix("/modules/", http.FileServer(http.Dir(modules))))
	mux.HandleFunc("/host", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/host.html")
	})
	served := httptest.NewServer(mux)
	t.Cleanup(served.Close)
	b := s.stranger(t)
	b.open(served.URL + "/host")
	return b
}

// TestCards_OfficialHost_ShowsThem reads the drawn cards in the official host.
func TestCards_OfficialHost_ShowsThem(t *testing.T) {
	s := open(t)
	id := s.linked(t)
	s.call(t, "ada", "load_atlases", refunds)
	toolstest.ApplyShipped(t, s.graph, "core")
	s.env.AnswerInCards, s.env.Sessions.ApprovalDelay = true, time.Minute
	b := s.hosted(t)
	text := func(selector string) string {
		return eval[string](b, `card().querySelector("`+selector+`").innerText`)
	}
	show := func(tool, arguments string) {
		t.Helper()
		b.do(chromedp.Evaluate[chromedp.Void](`show("`+tool+`", `+arguments+`).then(() => {})`,
			chromedp.EvalAwaitPromise))
		b.until(`"done" in card().body.dataset`)
	}
	t.Run("graph", func(t *testing.T) {
		show("get_graph", `{node_id: "`+id["b"]+`", depth: 1}`)
		nodes := func() int { return eval[int](b, `card().querySelectorAll("#list > li").length`) }
		if n := nodes(); n != 3 || eval[int](b, `card().querySelectorAll("#stage svg svg > path").length`) != n {
			t.Errorf("got %d nodes, want 3: one center and its two neighbors, drawn and listed", n)
		}
		is(b, `[...card().querySelectorAll("#stage svg svg > path")].map((path) => path.querySelector("title").textContent.includes("failure") && path.getAttribute("fill")).find(Boolean)`, eval[string](b, `(() => { const span = card().body.appendChild(card().createElement("span")); span.className = "failure"; return getComputedStyle(span).color; })()`))
		b.do(chromedp.Evaluate[chromedp.Void](`[...card().querySelectorAll("#list button")].find((one) => one.textContent.includes("a"))?.click()`))
		b.do(chromedp.Evaluate[chromedp.Void](`card().querySelector("#panel button").click()`))
		b.until(`card().querySelector("[role=status]").textContent.includes("nodes added")`)
		if n := nodes(); n <= 3 {
			t.Errorf("after expanding there are %d nodes, want more", n)
		}
		is(b, `getComputedStyle(card().body).color`, "rgb(1, 2, 3)")
	})
	t.Run("strict sandbox", func(t *testing.T) { // without an origin and without forms
		b.do(chromedp.Evaluate[chromedp.Void](`show("get_neighbors", {node_id: "`+id["a"]+
			`"}, "allow-scripts").then(() => {})`, chromedp.EvalAwaitPromise))
		// the card was drawn and reported its size
		b.until(`Number(document.querySelector("iframe").getAttribute("height")) > 300`)
	})
	t.Run("verdict", func(t *testing.T) {
		show("check_action", `{description: "Move the database", stakes: "high", confidence: 0.1}`)
		graphtest.Contains(t, text("main"), "Denied\n\nMove the database",
			"Try with\naction.confidence >= 0.5", "high_stakes_min_confidence (limit)\t0.5")

		b.do(chromedp.Evaluate[chromedp.Void](`[...card().querySelectorAll("button")].find((one) => one.textContent.startsWith("Check with confidence")).click()`))
		b.until(`card().querySelector("h1").textContent === "Allowed"`)
	})
	t.Run("approval", func(t *testing.T) {
		b.do(chromedp.Evaluate[chromedp.Void](`call("cra_start_session", {goal: "Pay refunds"}).then(() => {})`,
			chromedp.EvalAwaitPromise))
		show("cra_report_action", `{action: "refund.pay", confidence: 0.9, params: {amount: 20, to: "<b>Mia</b>"}}`)
		got := text("main")
		graphtest.Contains(t, got, "refund.pay", "amount\t20", "<b>Mia</b>", "Money leaves the shop", "high")
		sizes := eval[[]float64](b, `["approve", "reject"].flatMap((id) => { const { width, height } = card().getElementById(id).getBoundingClientRect(); return [width, height]; })`)
		if diff := cmp.Diff(sizes[:2], sizes[2:]); diff != "" {
			t.Errorf("the buttons differ: %s", diff)
		}
		b.do(chromedp.Evaluate[chromedp.Void](`card().getElementById("approve").click()`)) // a reason is missing
		b.until(`card().querySelector("[role=status]").textContent === "Give a reason first"`)
		b.do(chromedp.Evaluate[chromedp.Void](`card().querySelector("input").value = "It was double charged"; card().getElementById("approve").click()`))
		b.until(`card().querySelector("main").textContent.includes("approving by user of official-host: It was double charged")`)
		b.until(`window.told?.includes("The user approved it")`)
		b.do(chromedp.Evaluate[chromedp.Void](`[...card().querySelectorAll("button")].find((one) => one.textContent === "Undo").click()`))
		b.until(`card().getElementById("reject")`)
	})
	t.Run("the model", func(t *testing.T) {
		if eval[bool](b, `listed.includes("answer_approval")`) || !eval[bool](b, `every.includes("answer_approval")`) {
			t.Error("the host's packages do not tell the answering tool apart")
		}
		if got := eval[string](b, `JSON.stringify([shown.content, shown.structuredContent])`); strings.Contains(got,
			"secret") {
			t.Errorf("what a model gets has a secret: %s", got)
		}
		is(b, `"nomograph/secret" in shown._meta`, true, "the host did not get the secret")
		refused := eval[string](b, `call("answer_approval", {approval_id: shown.structuredContent.approval_id, action: "approve", secret: "guess", reason: "because"}).then((result) => result.content[0].text)`)
		graphtest.Contains(t, refused, "permission_denied")
	})
	t.Run("by default", func(t *testing.T) {
		s.env.AnswerInCards = false
		show("cra_report_action", `{action: "refund.pay", confidence: 0.9, params: {amount: 30}}`)
		b.do(chromedp.Evaluate[chromedp.Void](`[...card().querySelectorAll("button")].find((one) => one.textContent === "Open the approval page").click()`))
		b.until(`window.opened?.includes("/?approval=")`)
		if names := eval[[]string](b, `[...card().querySelectorAll("button")].map((one) => one.textContent)`); slices.Contains(names, "Approve") {
			t.Errorf("got the buttons %v, want none that answers", names)
		}
	})
	b.mu.Lock()
	b.problems = slices.DeleteFunc(b.problems, func(problem string) bool { // the test reads the frame
		return strings.Contains(problem, "can escape its sandboxing")
	})
	b.mu.Unlock()
	b.quiet()
}

// TestPictures_Card_IsWritten writes the picture of a card for docs/. It runs only in `make pictures`.
func TestPictures_Card_IsWritten(t *testing.T) {
	if os.Getenv("PICTURES") == "" {
		t.Skip("only `make pictures` makes them")
	}
	s := open(t)
	s.call(t, "ada", "load_atlases", refunds)
	s.env.AnswerInCards = true
	b := s.hosted(t)
	b.do(chromedp.EmulateViewport(740, 350), chromedp.Evaluate[chromedp.Void](`window.look = { theme: "light" }; document.body.style.margin = 0;
		call("cra_start_session", {goal: "Pay refunds"}).then(() => show("cra_report_action", {action: "refund.pay", params: {amount: 20, order: "A-1042"}})).then(() => {})`, chromedp.EvalAwaitPromise))
	b.until(`"done" in card().body.dataset && Number(document.querySelector("iframe").getAttribute("height")) > 200`)
	b.picture("card", "light")
}
