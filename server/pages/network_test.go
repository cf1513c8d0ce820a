package pages_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"nomograph/graph/graphtest"
)

// drawn is what the stage shows.
type drawn struct {
	Width, Height float64
	Nodes         []struct {
		X, Y, Radius float64
		Title        string
	}
	Edges  []struct{ Words string }
	Labels []label
}

type label struct {
	ID    string
	Box   [4]float64
	Lines []string
}

// drawn returns what the stage shows.
func (b *tab) drawn() (d drawn) {
	b.t.Helper()
	text := eval[string](b, inNetwork+`{ const s = m.scene(); return JSON.stringify({...s, edges: s.edges.map((e) => ({words: e.words}))}); })`)
	graphtest.OK(b.t, json.Unmarshal([]byte(text), &d))
	return d
}

// clear fails where nodes or labels cover nodes or other labels. The labels of the center and of the most linked nodes
// are drawn even where they cover a node.
func (d drawn) clear(t *testing.T, always ...string) {
	t.Helper()
	if len(d.Nodes) == 0 || len(d.Labels) == 0 {
		t.Fatalf("got %d nodes and %d labels, want nonzero len(Nodes), nonzero len(Labels)", len(d.Nodes),
			len(d.Labels))
	}
	for i, label := range d.Labels {
		for _, other := range d.Labels[:i] {
			if label.Box[0] < other.Box[2] && other.Box[0] < label.Box[2] && label.Box[1] < other.Box[3] &&
				other.Box[1] < label.Box[3] {
				t.Errorf("the labels %v and %v overlap", label.Lines, other.Lines)
			}
		}
		for _, n := range d.Nodes {
			if !slices.Contains(always, label.ID) && n.X+n.Radius > label.Box[0]+1 && n.X-n.Radius < label.Box[2]-1 &&
				n.Y+n.Radius > label.Box[1]+1 && n.Y-n.Radius < label.Box[3]-1 {
				t.Errorf("the label %v covers %s", label.Lines, n.Title)
			}
		}
		if len(label.Lines) > 2 {
			t.Errorf("the label %v has %d lines", label.Lines, len(label.Lines))
		}
	}
	for i, n := range d.Nodes {
		for _, other := range d.Nodes[:i] {
			if dx, dy, r := n.X-other.X, n.Y-other.Y, n.Radius+other.Radius-1; dx*dx+dy*dy < r*r {
				t.Errorf("%s covers %s", n.Title, other.Title)
			}
		}
	}
}

// drag moves the pointer with its button held.
func (b *tab) drag(fromX, fromY, toX, toY float64) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		events := []input.DispatchMouseEventParams{{Type: input.DispatchMouseEventTypeMouseMoved, X: fromX, Y: fromY},
			{Type: input.DispatchMouseEventTypeMousePressed, X: fromX, Y: fromY, Button: input.MouseButtonLeft}}
		for i := range 8 {
			share := float64(i+1) / 8
			events = append(events, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved,
				X: fromX + (toX-fromX)*share, Y: fromY + (toY-fromY)*share, Button: input.MouseButtonLeft})
		}
		for _, event := range append(events, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased, X: toX, Y: toY, Button: input.MouseButtonLeft}) {
			if _, err := cdp.Call(ctx, t, input.DispatchMouseEvent, event); err != nil {
				return err
			}
		}
		return nil
	}))
}

// TestGraphPage_FailedDecision_ShowsWhatDependsOnIt shows what depends on a failed decision, rearranges the nodes, and
// shares the view.
func TestGraphPage_FailedDecision_ShowsWhatDependsOnIt(t *testing.T) {
	needLibraries(t)
	s := open(t)
	id := s.linked(t)
	b := s.browse(t)
	b.scheme("light")
	b.do(chromedp.EmulateViewport(1440, 900))
	began := time.Now()
	b.to("/graph?node=" + id["a"])
	first := b.drawn()
	first.clear(t)
	graphtest.Equal(t, len(first.Labels), len(first.Nodes), "nodes with a label")
	const keyColors = `Array.from(document.querySelectorAll("#keys path"), (path) => path.getAttribute("fill") ?? path.getAttribute("stroke")).join()`
	light := eval[string](b, keyColors)
	b.scheme("dark")
	b.until(keyColors + ` !== "` + light + `"`) // the legend follows the color scheme
	b.paper()
	b.until(keyColors + ` === "` + light + `"`) // printed pages have light colors
	b.scheme("dark")
	b.until(keyColors + ` !== "` + light + `"`)
	b.scheme("light")
	b.until(keyColors + ` === "` + light + `"`)
	b.to("/graph?node=" + id["a"])
	for i, n := range b.drawn().Nodes {
		if n != first.Nodes[i] {
			t.Errorf("%s moved to %v from %v", n.Title, n, first.Nodes[i])
		}
	}

	b.tab(`#keys button:last-child`)
	b.do(key(" ")) // the last checkbox is supersedes
	b.until(`location.search.includes("hide=supersedes")`)
	if got := b.drawn(); len(got.Edges) != len(first.Edges)-1 || len(got.Nodes) != len(first.Nodes) {
		t.Errorf("without supersedes: got %d of %d links, %d of %d nodes, want len(Edges)=%v, len(Nodes)=%v",
			len(got.Edges), len(first.Edges), len(got.Nodes), len(first.Nodes), len(first.Edges)-1, len(first.Nodes))
	}

	stage := eval[[]float64](b, `(() => { const at = document.getElementById("stage").getBoundingClientRect(); return [at.left, at.top]; })()`)
	dragged := first.Nodes[len(first.Nodes)-1]
	b.drag(stage[0]+dragged.X, stage[1]+dragged.Y, stage[0]+60, stage[1]+60)
	b.until(`new URLSearchParams(location.search).getAll("pin").length === 1`)
	if eval[bool](b, `document.getElementById("release").hidden`) ||
		strings.Contains(eval[string](b, "location.search"), "select=") {
		t.Error("a drag selects, or cannot be taken back")
	}
	b.do(focused("#stage"), chromedp.KeyEvent("\u0302", chromedp.KeyModifiers(8))) // Shift and left
	b.until(`new URLSearchParams(location.search).getAll("pin").length === 2`)

	eval[string](b, `(() => { const time = document.getElementById("time"); time.value = 500; time.dispatchEvent(new Event("input")); time.dispatchEvent(new Event("change")); return ""; })()`)
	b.until(`location.search.includes("time=2026-01-05")`)
	b.do(focused("#stage"), key("+"))
	b.until(`location.search.includes("camera=")`)
	remaining := b.drawn()
	if len(remaining.Nodes) >= len(first.Nodes) {
		t.Error("the time axis hides nothing")
	}
	b.to(eval[string](b, "location.pathname + location.search"))
	again := b.drawn()
	if len(again.Nodes) != len(remaining.Nodes) || len(again.Edges) != len(remaining.Edges) {
		t.Errorf("the address restores %d nodes and %d links, want %d and %d", len(again.Nodes), len(again.Edges),
			len(remaining.Nodes), len(remaining.Edges))
	}

	svg := eval[string](b, `(async () => { const make = URL.createObjectURL; let got; URL.createObjectURL = (blob) => { got ??= blob; return make.call(URL, blob); };
		document.querySelector("a.keep[data-format=svg]").click(); URL.createObjectURL = make; return got.text(); })()`)
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil || !strings.Contains(svg, "Decide") ||
		!strings.Contains(svg, ">failure<") || strings.Contains(svg, ">supersedes<") {
		t.Errorf("the file is %v %s", err, svg)
	}
	size := eval[[]int](b, `(async () => { const make = URL.createObjectURL, got = []; URL.createObjectURL = (blob) => { got.push(blob); return make.call(URL, blob); };
		document.getElementById("png").click(); while (!got.some((blob) => blob.type === "image/png")) await new Promise((next) => setTimeout(next, 20)); URL.createObjectURL = make;
		const picture = await createImageBitmap(got.find((blob) => blob.type === "image/png")); return [picture.width, Math.round(document.getElementById("stage").offsetWidth * devicePixelRatio)]; })()`)
	graphtest.Equal(t, size[0], size[1], "the width of the picture")

	b.to("/graph?node=" + id["a"])
	b.click("#between")
	b.click(`#nodes a[data-id="` + id["0"] + `"]`)
	b.click(`#nodes a[data-id="` + id["3"] + `"]`)
	b.until(`location.search.includes("from=` + id["0"] + `") && location.search.includes("to=` + id["3"] +
		`") && "done" in document.body.dataset`)
	if strong := eval[int](b, `JSON.parse(document.getElementById("data").textContent).nodes.length`); strong == 0 ||
		strings.Contains(b.text("#notes"), "No path") {
		t.Errorf("the path is %s", b.text("#notes"))
	}
	if took := time.Since(began); took > 2*time.Minute {
		t.Errorf("the job took %s", took)
	}
	b.accessible()
	b.accessible()
	for _, size := range [][2]int64{{844, 390}, {390, 844}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.to("/graph?node=" + id["a"])
		b.drawn().clear(t)
		b.click(`#nodes a[data-id="` + id["b"] + `"]`)
		b.until(`document.getElementById("panel").matches(".told")`)
		is(b, `getComputedStyle(document.getElementById("panel")).position`, "fixed")
		if covered := eval[float64](b, `document.getElementById("stage").getBoundingClientRect().bottom - document.getElementById("panel").getBoundingClientRect().top`); covered > 8 {
			t.Errorf("the sheet covers %.0f pixels of the graph on a screen of %v", covered, size)
		}
		b.accessible()
	}
	const acts = `Array.from(document.querySelectorAll("#panel .acts a"), (a) => a.dataset.act).join()`
	is(b, acts, "center,expand,path")
	b.to("/graph?select=" + id["a"] + "&node=" + id["a"])
	is(b, acts, "expand")
	b.to("/graph?select=" + id["b"] + "&node=" + id["a"])
	b.click(`#panel [data-act=center]`)
	b.until(`location.search.includes("node=` + id["b"] + `") && "done" in document.body.dataset`)
	is(b, acts, "expand")

	s.graph.Exec(t, `MATCH (a:Decision {id: $a}) UNWIND range(1, 150) AS i CREATE (d:Decision {uid: 'dense-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide on part ' + i, category: 'process', stakes: 'low', status: 'pending',
		confidence: 0.7, agent: 'ada', created_at: datetime('2026-01-03T00:00:00Z')})-[:DEPENDS_ON]->(a)`, map[string]any{"a": id["a"]})
	b.to("/graph?depth=2&limit=200&node=" + id["a"])
	dense := b.drawn()
	if !slices.ContainsFunc(dense.Labels, func(l label) bool { return l.ID == id["a"] }) {
		t.Errorf("among %d nodes, the center has no label", len(dense.Nodes))
	}
	b.quiet()
}

// TestGraphPage_300Nodes_StayReadable draws as many nodes as should stay readable, on two screens.
func TestGraphPage_300Nodes_StayReadable(t *testing.T) {
	needLibraries(t)
	s := open(t)
	s.graph.Exec(t, `UNWIND range(0, 299) AS i CREATE (d:Decision {uid: 'n-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide how part ' + i + ' of the shop stores its orders', category: 'process', stakes: 'low', status: 'pending',
		confidence: (i % 10) / 10.0, agent: 'ada', created_at: datetime('2026-01-01T00:00:00Z') + duration({hours: i}), outcome: CASE i % 3 WHEN 0 THEN 'success' WHEN 1 THEN 'failure' END})
		WITH collect(d) AS every UNWIND range(1, 299) AS i UNWIND CASE i % 5 WHEN 0 THEN [(i - 1) / 4, (i * 7919) % i] ELSE [(i - 1) / 4] END AS to
		WITH every[i] AS newer, every[to] AS older MERGE (newer)-[:DEPENDS_ON]->(older)`, nil)
	b := s.browse(t)
	const address = "/graph?depth=5&limit=300&node=00000000"
	for size, least := range map[[2]int64]int{{1440, 900}: 20, {1280, 800}: 15, {390, 844}: 1} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.to(address)
		whole := b.drawn()
		hubs := eval[[]string](b, inNetwork+`m.graph.nodes().sort((a, b) => m.graph.degree(b) - m.graph.degree(a) || (a < b ? -1 : 1)).slice(0, 8))`)
		for _, hub := range hubs { // the label is drawn even if no place for it is free
			if !slices.ContainsFunc(whole.Labels, func(l label) bool { return l.ID == hub }) {
				t.Errorf("on %v the node %s, one of the most linked, has no label", size, hub)
			}
		}
		whole.clear(t, hubs...)
		if len(whole.Nodes) != 300 || len(whole.Labels) < least {
			t.Errorf("on %v: %d nodes and %d labels", size, len(whole.Nodes), len(whole.Labels))
		}
		b.do(focused("#stage"), key("+"), key("+"), key("+"))
		b.until(`location.search.includes("camera=")`)
		long := func(d drawn) int { // characters of the label of the center
			return len(strings.Join(d.Labels[slices.IndexFunc(d.Labels,
				func(l label) bool { return l.ID == "00000000" })].Lines, ""))
		}
		var near drawn // the address changes at the first of the three keys
		graphtest.Until(t, fmt.Sprintf("on %v the label of the center grows", size),
			func() bool { near = b.drawn(); return long(near) > long(whole) })
		near.clear(t, hubs...)
	}
	b.holds(t, "#notes", "!have a label")
	s.graph.Exec(t, `MATCH (hub:Decision {id: '00000000'}) UNWIND range(300, 2899) AS i CREATE (d:Decision {uid: 'n-' + i, id: right('0000000' + toString(i), 8), decision: 'Decide on part ' + i, category: 'process', stakes: 'low', status: 'pending',
		confidence: 0.5, agent: 'ada', created_at: datetime('2026-01-01T00:00:00Z')})-[:DEPENDS_ON]->(hub)`, nil)
	b.to("/graph?depth=5&limit=10000&node=00000000")
	many := b.drawn()
	if len(many.Nodes) != 2900 || len(many.Labels) > 60 {
		t.Errorf("got %d of 2900 nodes, with %d labels, want len(Nodes)=2900, len(Labels) at most 60", len(many.Nodes),
			len(many.Labels))
	}
	if shown := b.text("#notes"); !strings.Contains(shown, "2900 nodes are shown: at most 60 have a label") {
		t.Errorf("2900 nodes are not reported as too many: %s", shown)
	} else if !slices.ContainsFunc(many.Labels, func(l label) bool { return strings.HasPrefix(l.ID, "cluster:") }) {
		t.Errorf("no cluster of 2900 nodes has a label: %v", many.Labels)
	}
	b.quiet()
}
