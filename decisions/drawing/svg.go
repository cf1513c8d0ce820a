package drawing

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"nomograph/internal/render"
)

// Picture is a graph with positions.
type Picture struct {
	Title  string
	Nodes  []Node
	Edges  []Edge
	Places []Point // positions of the nodes
	Legend bool    // include a legend, for a standalone file
	Width  float64 // maximum width in pixels, 0 for any; edges get shorter, texts keep their size
}

const (
	unit                   = 120.0 // pixels of one edge length
	lineGap                = 6.0   // pixels between lines that join the same nodes
	maxLabels              = 90
	maxLabelLength         = 26
	minRadius, radiusRange = 6.0, 11.0 // minimum radius in pixels, and the difference to the maximum
)

// fills are the colors on a white background; a page overrides them by class.
var fills = map[string]string{"success": "#1c6b3c", "partial": "#b07a10", "failure": "#a3212f", "abandoned": "#6d3b8f",
	"pending": "#5b6b8c", "rule": "#30407a", "other": "#6a7180"}

// colorClass returns the class of a node's color: the outcome of a decision, else the kind of node.
func (n Node) colorClass() string {
	switch {
	case n.Kind == "" && fills[n.Look] != "":
		return n.Look
	case n.Kind == "":
		return "pending"
	case n.Kind == "policy" || n.Kind == "threshold":
		return "rule"
	}
	return "other"
}

// SVG renders the picture without scripts, style sheets and external references.
func (p Picture) SVG() string {
	var b strings.Builder
	low, high := bounds(p.Places)
	unit := unit
	if p.Width > 0 {
		unit = min(unit, p.Width/(high.X-low.X))
	}
	width, height := (high.X-low.X)*unit, (high.Y-low.Y)*unit
	legend, below, indent := "", 0.0, 0.0
	if p.Legend && len(p.Nodes) > 0 {
		indent = max(0, (narrowest-width)/2)
		width = max(width, narrowest)
		legend, below = p.legend(width, height)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="group" aria-label="%s" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="system-ui, sans-serif" font-size="12">`+"\n",
		escape(p.Title), width, height+below, width, height+below)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z" fill="#7a8294"/></marker></defs>` + "\n")
	fmt.Fprintf(&b, `<rect class="ground" width="%.0f" height="%.0f" fill="#ffffff"/>`+"\n", width, height+below)
	place := func(i int) Point { return Point{(p.Places[i].X-low.X)*unit + indent, (p.Places[i].Y - low.Y) * unit} }
	for _, l := range p.lines() {
		p.line(&b, l, place(l.From), place(l.To))
	}
	labels := p.labels(place, width)
	for i, n := range p.Nodes {
		n.draw(&b, place(i), labels[i])
	}
	b.WriteString(legend + "</svg>\n")
	return b.String()
}

const (
	narrowest = 480.0 // pixels, for a legend
	keyHeight = 22.0
	character = 6.8 // approximate width in pixels
)

// legend returns the legend and its height, for a width in pixels.
func (p Picture) legend(width, top float64) (svg string, tall float64) {
	var b strings.Builder
	const margin, symbol = 14.0, 22.0
	x, y := margin, top+keyHeight
	key := func(words string, draw func(at Point) string) {
		wide := symbol + character*float64(len([]rune(words))) + margin
		if x > margin && x+wide > width {
			x, y = margin, y+keyHeight
		}
		fmt.Fprintf(&b, `%s<text x="%.1f" y="%.1f" fill="#1b1f2a">%s</text>`+"\n", draw(Point{x + 8, y - 4}), x+symbol,
			y, escape(words))
		x += wide
	}
	dot := func(kind, look, marks string) func(Point) string {
		return func(at Point) string {
			return fmt.Sprintf(`<path class="node %s" d="%s" fill="%s"%s/>`, look, outline(kind, at, 6), fills[look],
				marks)
		}
	}
	line := func(class, color, style string) func(Point) string {
		return func(at Point) string {
			return fmt.Sprintf(`<path class="%s" d="M%.1f %.1fh18" stroke="%s" stroke-width="1.6"%s fill="none"/>`,
				class, at.X-9, at.Y, color, style)
		}
	}
	has := func(test func(Node) bool) bool { return slices.ContainsFunc(p.Nodes, test) }
	linked := func(test func(Edge) bool) bool { return slices.ContainsFunc(p.Edges, test) }
	for _, look := range []string{"success", "partial", "failure", "abandoned", "pending"} {
		if has(func(n Node) bool { return n.Kind == "" && n.colorClass() == look }) {
			key("decision: "+cmp.Or(map[string]string{"pending": "no outcome"}[look], look), dot("", look, ""))
		}
	}
	for _, kind := range []string{"policy", "threshold", "verdict", "session", "pattern", "agent"} {
		if has(func(n Node) bool { return n.Kind == kind }) {
			key(kind, dot(kind, Node{Kind: kind}.colorClass(), ""))
		}
	}
	if has(func(n Node) bool { return n.Faded }) {
		key("pale: superseded or retracted", dot("", "pending", ` opacity="0.45"`))
	}
	if has(func(n Node) bool { return n.Center }) {
		key("center", dot("", "pending", centerStyle))
	}
	if has(func(n Node) bool { return n.Strong && !n.Center }) {
		key("on the path or in the lineage", dot("", "pending", strongStyle))
	}
	if linked(func(e Edge) bool { return e.Kind != "supersedes" && !e.isConflict() }) {
		key("link, toward what it needs", line("link", linkColor, ""))
	}
	if linked(func(e Edge) bool { return e.Kind == "supersedes" }) {
		key("supersedes", line("link", linkColor, dashed))
	}
	if linked(Edge.isConflict) {
		key("contradicts or blocks", line("link against", fills["failure"], ""))
	}
	return b.String(), y + 10 - top
}

const (
	centerStyle = ` stroke="#d99a00" stroke-width="4"`
	strongStyle = ` stroke="#2747a8" stroke-width="3"`
	linkColor   = "#7a8294"
	dashed      = ` stroke-dasharray="6 4"`
)

// isConflict reports whether a link is a conflict.
func (e Edge) isConflict() bool { return e.Kind == "contradicts" || e.Kind == "blocks" }

// label is a text with the middle of its baseline.
type label struct {
	Point
	text string
}

// labels returns the labels of nodes by index, below or above their node. Among many nodes the largest have one, and
// none covers a node or another label.
func (p Picture) labels(place func(int) Point, width float64) map[int]label {
	order := make([]int, len(p.Nodes))
	type box struct{ left, right, top, bottom float64 }
	taken := make([]box, len(p.Nodes))
	for i, n := range p.Nodes {
		at, r := place(i), n.radius()
		order[i], taken[i] = i, box{at.X - r, at.X + r, at.Y - r, at.Y + r}
	}
	slices.SortFunc(order, func(a, b int) int { return byPriority(p.Nodes[a], p.Nodes[b]) })
	labels := map[int]label{}
	for _, i := range order[:min(len(order), maxLabels)] {
		n, at := p.Nodes[i], place(i)
		text := render.Shorten(render.OneLine(n.Label), maxLabelLength)
		if n.More > 0 {
			text += fmt.Sprintf(" +%d", n.More)
		}
		half := character*float64(len([]rune(text)))/2 + 2
		x := max(half, min(at.X, width-half)) // a label at the edge of the picture would be cut off
		for _, y := range []float64{at.Y + n.radius() + 13, at.Y - n.radius() - 5} {
			own := box{x - half, x + half, y - 11, y + 3}
			if !slices.ContainsFunc(taken, func(other box) bool {
				return own.left < other.right && other.left < own.right && own.top < other.bottom &&
					other.top < own.bottom
			}) {
				labels[i], taken = label{Point{x, y}, text}, append(taken, own)
				break
			}
		}
	}
	return labels
}

// line shows the edges of one kind between two nodes.
type line struct {
	Edge
	both   bool    // whether edges exist in both directions
	beside float64 // pixels from the straight line, because lines of other kinds join the same nodes
}

// lines returns the lines of the edges, so that none covers another.
func (p Picture) lines() []line {
	var lines []line
	between := map[[2]int][]int{} // lines by their nodes
	for _, e := range p.Edges {
		pair := [2]int{min(e.From, e.To), max(e.From, e.To)}
		if at := slices.IndexFunc(between[pair], func(i int) bool { return lines[i].Kind == e.Kind }); at >= 0 {
			l := &lines[between[pair][at]]
			l.both, l.Strong = l.both || l.From != e.From, l.Strong || e.Strong
			continue
		}
		between[pair] = append(between[pair], len(lines))
		lines = append(lines, line{Edge: e})
	}
	for _, same := range between {
		for i, at := range same {
			lines[at].beside = (float64(i) - float64(len(same)-1)/2) * lineGap
			if lines[at].From > lines[at].To { // seen along the edge, this is the opposite side
				lines[at].beside *= -1
			}
		}
	}
	return lines
}

func (p Picture) line(b *strings.Builder, e line, from, to Point) {
	dx, dy := to.X-from.X, to.Y-from.Y
	far := math.Hypot(dx, dy)
	if far < 1 {
		return
	}
	from, to = Point{from.X - dy/far*e.beside, from.Y + dx/far*e.beside},
		Point{to.X - dy/far*e.beside, to.Y + dx/far*e.beside}
	start, end := p.Nodes[e.From].radius()+1, p.Nodes[e.To].radius()+3
	class, style := "link", ""
	if e.both {
		start, style = start+2, ` marker-start="url(#tip)"`
	}
	if e.Kind == "supersedes" {
		style += dashed
	}
	wide, color := 1.2, linkColor
	if e.isConflict() {
		class, color = class+" against", fills["failure"]
	}
	if e.Strong {
		class, wide, color = class+" strong", 3, "#2747a8"
	}
	fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1f %.1f %.1f" stroke="%s" stroke-width="%g"%s fill="none" marker-end="url(#tip)"><title>%s</title></path>`+"\n", class,
		from.X+dx/far*start, from.Y+dy/far*start, to.X-dx/far*end, to.Y-dy/far*end, color, wide, style, escape(e.Words))
}

func (n Node) radius() float64 { return minRadius + radiusRange*max(0, min(1, n.Size)) }

func (n Node) draw(b *strings.Builder, at Point, label label) {
	if n.Link != "" {
		fmt.Fprintf(b, `<a href="%s" aria-label="%s">`, escape(n.Link),
			escape(strings.TrimPrefix(label.text+": "+n.Words, ": ")))
	} else {
		b.WriteString("<g>")
	}
	look := n.colorClass()
	marks := ""
	switch {
	case n.Center:
		marks = centerStyle
	case n.Strong:
		marks = strongStyle
	}
	if n.Faded {
		marks += ` opacity="0.45"`
	}
	fmt.Fprintf(b, `<path class="node %s%s" d="%s" fill="%s"%s><title>%s</title></path>`, look,
		map[bool]string{true: " center"}[n.Center], outline(n.Kind, at, n.radius()), fills[look], marks,
		escape(n.Words))
	if label.text != "" {
		fmt.Fprintf(b, `<text class="label" x="%.1f" y="%.1f" text-anchor="middle" fill="#1b1f2a" paint-order="stroke" stroke="#ffffff" stroke-width="3">%s</text>`, label.X, label.Y, escape(label.text))
	}
	if n.Link != "" {
		b.WriteString("</a>\n")
	} else {
		b.WriteString("</g>\n")
	}
}

// corners are the corners of polygons by kind: their number, and the direction of the first corner (in turns, 0 is to
// the right). Other kinds are circles.
var corners = map[string]struct {
	n    int
	turn float64
}{"policy": {4, 0.125}, "threshold": {4, 0}, "verdict": {3, -0.25}, "session": {6, 0}, "pattern": {5, -0.25},
	"agent": {8, 0.0625}}

func outline(kind string, at Point, radius float64) string {
	shape, ok := corners[kind]
	if !ok {
		return fmt.Sprintf("M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0z", at.X-radius, at.Y, radius,
			radius, 2*radius, radius, radius, -2*radius)
	}
	var b strings.Builder
	radius *= 1.15
	for i := range shape.n {
		angle := 2 * math.Pi * (shape.turn + float64(i)/float64(shape.n))
		letter := "L"
		if i == 0 {
			letter = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", letter, at.X+radius*math.Cos(angle), at.Y+radius*math.Sin(angle))
	}
	return b.String() + "z"
}

// escape escapes a text for XML and removes control characters.
func escape(text string) string { return html.EscapeString(render.OneLine(text)) }
