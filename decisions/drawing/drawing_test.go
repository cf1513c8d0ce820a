package drawing_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nomograph/decisions/drawing"
)

// tree returns n nodes, each linked to the node with half its number.
func tree(n int) ([]drawing.Node, []drawing.Edge) {
	var nodes []drawing.Node
	var edges []drawing.Edge
	for i := range n {
		nodes = append(nodes, drawing.Node{ID: fmt.Sprint("n", i), Label: fmt.Sprint("Node ", i), Center: i == 0})
		if i > 0 {
			edges = append(edges, drawing.Edge{From: i, To: i / 2})
		}
	}
	return nodes, edges
}

func TestPlace_SameGraph_GivesTheSamePicture(t *testing.T) {
	for _, n := range []int{0, 1, 2, 40, 600} {
		nodes, edges := tree(n)
		places := drawing.Place(nodes, edges)
		turned, back := slices.Clone(nodes), slices.Clone(edges)
		slices.Reverse(turned)
		for i := range back {
			back[i] = drawing.Edge{From: n - 1 - back[i].From, To: n - 1 - back[i].To}
		}
		slices.Reverse(back)
		again := drawing.Place(turned, back)
		slices.Reverse(again)
		if !slices.Equal(places, again) {
			t.Errorf("%d nodes lie elsewhere when they come in another order", n)
		}
		for i, p := range places {
			if math.IsNaN(p.X) || math.IsInf(p.X, 0) || math.Abs(p.X) > 1000 {
				t.Fatalf("of %d nodes, %d lies at %v", n, i, p)
			}
			for j := range i {
				if d := math.Hypot(p.X-places[j].X, p.Y-places[j].Y); d < 0.05 {
					t.Errorf("of %d nodes, %d and %d lie at one place", n, i, j)
				}
			}
		}
	}
}

func TestDraw_Texts_AreEscaped(t *testing.T) {
	nodes, edges := tree(3)
	for i, text := range []string{`<script>alert(1)</script>`, "\"/><a href='javascript:x'>\x00\x0b\ufffe", "]]>&lt;" +
		strings.Repeat("x", 500)} {
		nodes[i].Label, nodes[i].Words, nodes[i].Link = text, text, text
		nodes[i].Kind, nodes[i].Look = text, text
	}
	edges[0].Words, edges[0].Kind = `"><b>`, `"><b>`
	p := drawing.Picture{Title: `"><b>`, Nodes: nodes, Edges: edges, Places: drawing.Place(nodes, edges)}
	read := xml.NewDecoder(strings.NewReader(p.SVG()))
	for {
		token, err := read.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok &&
			!slices.Contains([]string{"svg", "defs", "marker", "path", "rect", "g", "a", "title", "text"},
				start.Name.Local) {
			t.Errorf("got element <%s>, want only drawing elements", start.Name.Local)
		}
	}
}

func TestSVG_LongLabels_EndAtAWord(t *testing.T) {
	nodes := []drawing.Node{{ID: "a", Label: "Keep the orders of the shop in PostgreSQL", Center: true},
		{ID: "b", Label: strings.Repeat("x", 60)}, {ID: "c", Label: "Short"}}
	svg := drawing.Picture{Nodes: nodes, Places: drawing.Place(nodes, nil)}.SVG()
	for _, want := range []string{">Keep the orders of the…<", ">" + strings.Repeat("x", 25) + "…<", ">Short<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("got %s, want a label %s", svg, want)
		}
	}
}

// TestSVG_ManyLabels_DoNotOverlap draws a hub with 60 neighbors and compares the boxes of their labels.
func TestSVG_ManyLabels_DoNotOverlap(t *testing.T) {
	nodes, edges := []drawing.Node{{ID: "hub", Label: "Keep the orders", Center: true, Size: 1}}, []drawing.Edge{}
	for i := range 60 {
		nodes = append(nodes, drawing.Node{ID: fmt.Sprint("n", i), Label: fmt.Sprint("Cache the orders in place ", i)})
		edges = append(edges, drawing.Edge{From: i + 1, To: 0})
	}
	svg := drawing.Picture{Nodes: nodes, Edges: edges, Places: drawing.Place(nodes, edges), Width: 700}.SVG()
	type label struct {
		x, y, half float64
		text       string
	}
	var labels []label
	for _, found := range regexp.MustCompile(`<text class="label" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<`).
		FindAllStringSubmatch(svg, -1) {
		x, _ := strconv.ParseFloat(found[1], 64)
		y, _ := strconv.ParseFloat(found[2], 64)
		labels = append(labels, label{x, y, 3.4 * float64(len([]rune(found[3]))), found[3]})
	}
	if len(labels) < 20 || labels[0].text != "Keep the orders" {
		t.Fatalf("got %d labels, the first of them %v, want at least 20, with the hub first", len(labels), labels[0])
	}
	for i, a := range labels {
		for _, b := range labels[:i] {
			if math.Abs(a.x-b.x) < a.half+b.half && math.Abs(a.y-b.y) < 12 {
				t.Errorf("%q and %q overlap", a.text, b.text)
			}
		}
	}
}

func TestSVG_Legend_NamesWhatIsThere(t *testing.T) {
	nodes := []drawing.Node{{ID: "a", Label: "A", Look: "failure", Center: true}, {ID: "b", Label: "B", Kind: "policy"},
		{ID: "c", Label: "C", Look: "success", Faded: true}}
	edges := []drawing.Edge{{From: 0, To: 1, Kind: "judged_by"}, {From: 0, To: 2, Kind: "supersedes"},
		{From: 2, To: 0, Kind: "contradicts"}}
	p := drawing.Picture{Nodes: nodes, Edges: edges, Places: drawing.Place(nodes, edges)}
	if svg := p.SVG(); strings.Contains(svg, "decision: failure") {
		t.Errorf("a drawing in a page, which has its own, has a legend: %s", svg)
	}
	p.Legend = true
	svg := p.SVG()
	for _, want := range []string{"decision: failure", "decision: success", ">policy<", "superseded or retracted",
		">center<", ">supersedes<", "contradicts or blocks"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the legend lacks %q: %s", want, svg)
		}
	}
	for _, absent := range []string{"decision: partial", ">threshold<", ">agent<"} {
		if strings.Contains(svg, absent) {
			t.Errorf("the legend has %q, which the picture has not", absent)
		}
	}
	if !strings.Contains(svg, `class="link against" d="`) || !strings.Contains(svg, `stroke="#a3212f"`) {
		t.Error("a link that contradicts looks like any other in a file")
	}
	if pale := strings.Count(svg, `opacity="0.45"`); pale != 2 {
		t.Errorf("got %d pale marks, want 2: the superseded decision and its line of the legend", pale)
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Error(err)
	}
}

func BenchmarkPlaceTenThousand(b *testing.B) {
	nodes, edges := tree(10_000)
	for i := range 20_000 {
		edges = append(edges, drawing.Edge{From: (i * 7919) % 10_000, To: (i*104_729 + 13) % 10_000})
	}
	for b.Loop() {
		drawing.Place(nodes, edges)
	}
}

func TestPicture_LongLabel_EndsInAnEllipsis(t *testing.T) {
	picture := drawing.Picture{Nodes: []drawing.Node{{ID: "a", Label: "Use PostgreSQL for the orders of the shop"},
		{ID: "b", Label: "Short"}}}
	picture.Places = drawing.Place(picture.Nodes, nil)
	svg := picture.SVG()
	if !strings.Contains(svg, ">Use PostgreSQL for the…</text>") || !strings.Contains(svg, ">Short</text>") {
		t.Errorf("got %s, want a label that says that it was cut", svg)
	}
}

// TestSVG_PairLinkedTwice_LinesApart draws a pair that is related both ways as one line with two tips, and next to it
// a link of a different kind.
func TestSVG_PairLinkedTwice_LinesApart(t *testing.T) {
	nodes := []drawing.Node{{ID: "a", Label: "A", Center: true}, {ID: "b", Label: "B"}}
	edges := []drawing.Edge{{From: 0, To: 1, Kind: "relates_to", Words: "relates to"},
		{From: 1, To: 0, Kind: "relates_to", Words: "relates to"},
		{From: 1, To: 0, Kind: "contradicts", Words: "contradicts"}}
	places := []drawing.Point{{X: 0, Y: 0}, {X: 2, Y: 0}}
	svg := drawing.Picture{Nodes: nodes, Edges: edges, Places: places}.SVG()
	heights := map[string]string{} // height of a horizontal line, by its label
	for _, found := range regexp.MustCompile(`<path class="link[^"]*" d="M([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+)"[^>]*><title>([^<]*)</title>`).FindAllStringSubmatch(svg, -1) {
		if found[2] != found[4] || heights[found[5]] != "" {
			t.Errorf("a line is not level, or is drawn twice: %s", found[0])
		}
		heights[found[5]] = found[2]
	}
	if len(heights) != 2 || heights["relates to"] == heights["contradicts"] {
		t.Errorf("the heights of the lines are %v, want two: %s", heights, svg)
	}
	if n := strings.Count(svg, "marker-start"); n != 1 {
		t.Errorf("got %d lines with tips at both ends, want 1: %s", n, svg)
	}
}

func TestSVG_Width_IsNotExceeded(t *testing.T) {
	nodes, edges := tree(9)
	places := drawing.Place(nodes, edges)
	for width, want := range map[float64]float64{300: 300, 5000: 0} {
		svg := drawing.Picture{Nodes: nodes, Edges: edges, Places: places, Width: width}.SVG()
		var got float64
		if _, err := fmt.Sscan(regexp.MustCompile(` width="(\d+)"`).FindStringSubmatch(svg)[1], &got); err != nil {
			t.Fatal(err)
		}
		if want == 0 && (got <= 300 || got > 1500) || want > 0 && got != want {
			t.Errorf("a drawing of at most %v pixels is %v wide", width, got)
		}
	}
}
