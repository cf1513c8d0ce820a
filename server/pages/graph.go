package pages

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/drawing"
	"nomograph/decisions/insights"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// graphPage is the data of the graph page.
type graphPage struct {
	*view
	Find    string
	Found   []hit
	Empty   bool // no decisions exist
	Rows    []graphNode
	More    int // number of nodes that the list omits
	Drawing template.HTML
	Panel   *panel
	Asked   viewQuery
	Choices choices
	Notes   []string
	Plain   bool
	Data    string // JSON for the script
	links   map[string][]rowLink
}

// PageTitle names the page after its center.
func (g graphPage) PageTitle() string {
	if len(g.Nodes) > 0 {
		return "Graph around " + g.Nodes[0].Title
	}
	return "Graph"
}

// choices are the values that filters offer: those of the nodes before filtering.
type choices struct{ Agents, Projects, Categories, Tags []string }

const (
	maxRows = 200
	// Limits of script/network.js: larger graphs are divided into clusters, and have few labels.
	clustersFrom  = 1000
	labeledOfMany = 60
)

func showGraph(v *Visit) (_ any, err error) {
	page := graphPage{view: &view{}, Find: v.Query("find"), Asked: viewQueryOf(v), Plain: v.Query("plain") != ""}
	if err := page.chooseCenter(v); err != nil || page.Asked.Center == "" {
		return page, err
	}
	if page.view, err = v.collect(page.Asked); err != nil {
		return nil, err
	}
	page.Choices, page.Notes = page.choices, page.view.Notes
	if n := len(page.Nodes); n >= clustersFrom {
		page.Notes = append(page.Notes, fmt.Sprintf("%d nodes are shown: at most %d have a label, and each large cluster has one. Zoom in, set filters, or lower the maximum number of nodes", n, labeledOfMany))
	}
	page.Rows = page.Nodes[:min(len(page.Nodes), maxRows)]
	page.More = len(page.Nodes) - len(page.Rows)
	if page.Plain || !v.server.assets.hasLibraries(v.page) {
		page.Plain = true
		page.Drawing = safeHTML(page.picture(v).SVG()) // SVG escapes every text
	} else {
		text, err := render.JSON(page.view)
		if err != nil {
			return nil, err
		}
		page.Data = string(text)
	}
	page.links = linksOf(page.view)
	if page.Asked.Select != "" {
		if page.Panel, err = v.panelOf(page.Asked.Select); err != nil && !apperr.Is(err, apperr.NotFound) {
			return nil, err
		}
		if page.Panel != nil {
			at := &shown{visit: v}
			page.Panel.Expand, page.Panel.Path = at.Add("expand", page.Panel.ID),
				at.With("node", page.Center, "to", page.Panel.ID, "find", "")
		}
	}
	return page, nil
}

// rowLink is a link of a node in the list below the graph.
type rowLink struct {
	Words, ID, Title string
	Outgoing         bool
}

// linksOf returns the links of each node of a view by node id.
func linksOf(w *view) map[string][]rowLink {
	links := map[string][]rowLink{}
	title := func(id string) string { return w.Nodes[w.index[id]].Title }
	for _, e := range w.Edges {
		words := strings.ReplaceAll(e.EdgeType, "_", " ")
		links[e.SourceID] = append(links[e.SourceID], rowLink{words, e.TargetID, title(e.TargetID), true})
		links[e.TargetID] = append(links[e.TargetID], rowLink{words, e.SourceID, title(e.SourceID), false})
	}
	return links
}

const linksListed = 12 // maximum per node

// LinksOf returns the links of a node that the list shows.
func (g graphPage) LinksOf(id string) []rowLink {
	return g.links[id][:min(len(g.links[id]), linksListed)]
}

// LinksLeft returns how many links of a node the list omits.
func (g graphPage) LinksLeft(id string) int { return max(0, len(g.links[id])-linksListed) }

// Whole returns the URL of the node's own page.
func (n graphNode) Whole() string { return wholePage(n.ID) }

// chooseCenter chooses the center of the graph: the requested node, otherwise the best search result, otherwise the
// decision on which most others depend, otherwise the newest decision.
func (g *graphPage) chooseCenter(v *Visit) (err error) {
	if find := strings.TrimSpace(g.Find); find != "" {
		if g.Found, err = v.findNodes(find); err != nil || g.Asked.Center != "" {
			return err
		}
		if at := slices.IndexFunc(g.Found, func(h hit) bool { return h.Graph }); at >= 0 {
			g.Asked.Center = g.Found[at].Node()
		}
		return nil
	}
	if g.Asked.Center != "" {
		return nil
	}
	if g.Asked.Center, err = v.hub(); err != nil || g.Asked.Center != "" {
		return err
	}
	newest, err := Call[precedents.List](v, "list_decisions", precedents.ListQuery{Limit: 1})
	g.Empty = err == nil && len(newest.Decisions) == 0
	if len(newest.Decisions) > 0 {
		g.Asked.Center = newest.Decisions[0].ID
	}
	return err
}

// hubAge is the time for which the decision on which most others depend is kept if finding it took longer than hubWait,
// as in large graphs, where it hardly changes.
const (
	hubAge  = time.Hour
	hubWait = 200 * time.Millisecond
)

// hub returns the decision on which most others depend; "" if there is none.
func (v *Visit) hub() (string, error) {
	hubs, key := v.server.hubs, countKey(v.Caller())
	if known, ok := hubs.Load(key); ok && time.Since(known.(remembered).at) < hubAge {
		details, err := callIfMay[decisions.Details](v, "get_decision",
			decisions.GetQuery{ID: known.(remembered).text, History: new(false)})
		if err == nil && details.Found && details.Decision["retracted_at"] == nil {
			return known.(remembered).text, nil
		}
	}
	began := time.Now()
	salient, err := callIfMay[insights.Salient](v, "get_salient", insights.SalientQuery{Limit: 1})
	if err != nil || len(salient.Decisions) == 0 {
		return "", err
	}
	if time.Since(began) > hubWait {
		hubs.Store(key, remembered{salient.Decisions[0].ID, time.Now()})
	}
	return salient.Decisions[0].ID, nil
}

// viewQuery is a requested view of the graph, read from the URL.
type viewQuery struct {
	Center                                                string
	Depth, Limit                                          int
	Expand, Types, Show                                   []string
	Automatic                                             bool // include automatic links
	Agent, Project, Category, Stakes, Outcome, Tag, Until string
	// From is where the path to To begins; "" is the center
	From, To, Lineage, Size, Select string
}

const (
	defaultDepth   = 2
	defaultNodes   = 60
	maxNodes       = 10_000
	maxExpand      = 60
	expansionLimit = 30 // nodes added by one expansion
)

func viewQueryOf(v *Visit) viewQuery {
	number := func(name string, defaultNumber, maximum int) int {
		n, err := strconv.Atoi(v.Query(name))
		if err != nil || n < 1 {
			return defaultNumber
		}
		return min(n, maximum)
	}
	a := viewQuery{Center: strings.TrimSpace(v.Query("node")), Depth: number("depth", defaultDepth, 5),
		Limit:  number("limit", defaultNodes, maxNodes),
		Expand: v.All("expand"), Types: v.All("type"), Show: v.All("show"), Agent: v.Query("agent"),
		Project: v.Query("project"), Category: v.Query("category"),
		Stakes: v.Query("stakes"), Outcome: v.Query("outcome"), Tag: v.Query("tag"), Until: v.Query("until"),
		From: strings.TrimSpace(v.Query("from")), To: strings.TrimSpace(v.Query("to")),
		Automatic: v.Query("automatic") != "", Lineage: v.Query("lineage"), Size: v.Query("size"),
		Select: v.Query("select")}
	a.Expand = a.Expand[:min(len(a.Expand), maxExpand)]
	return a
}

// Has reports whether a multi-value field contains a value. The checkboxes of the form use it.
func (a viewQuery) Has(field, value string) bool {
	return slices.Contains(map[string][]string{"type": a.Types, "show": a.Show}[field], value)
}

// matches reports whether a decision passes the filters.
func (a viewQuery) matches(n links.Node) bool {
	same := func(wanted, has string) bool { return wanted == "" || strings.EqualFold(wanted, has) }
	until, err := time.Parse(time.DateOnly, a.Until)
	return same(a.Agent, n.AgentID) && same(a.Project, n.Project) && same(a.Category, n.Category) &&
		same(a.Stakes, n.Stakes) && same(a.Outcome, cmp.Or(n.Outcome, "pending")) &&
		(a.Tag == "" || slices.ContainsFunc(n.Tags, func(tag string) bool { return same(a.Tag, tag) })) &&
		(err != nil || n.Date.Before(until.AddDate(0, 0, 1)))
}

// picture returns the view as a server-rendered drawing. With a visit, nodes link to the views that a click opens.
func (w *view) picture(v *Visit) drawing.Picture {
	p := drawing.Picture{Title: "Linked decisions", Width: 960}
	for _, n := range w.Nodes {
		node := n.drawn()
		if n.Expands() && v != nil {
			node.Link = (&shown{visit: v}).With("node", n.ID, "find", "", "expand", "", "select", n.ID)
		}
		p.Nodes = append(p.Nodes, node)
	}
	for _, e := range w.Edges {
		p.Edges = append(p.Edges, w.drawnEdge(e))
	}
	p.Places = drawing.Place(p.Nodes, p.Edges)
	return p
}

// formats maps export formats to media types.
var formats = map[string]string{"svg": "image/svg+xml", "mermaid": "text/plain; charset=utf-8",
	"dot": "text/vnd.graphviz; charset=utf-8", "json": "application/json"}

func graphExport(v *Visit) (Answer, error) {
	format := cmp.Or(v.Query("format"), "svg")
	kind, ok := formats[format]
	if !ok {
		return Answer{}, apperr.Newf(apperr.Validation, "Unknown graph format %q", format).
			WithHint("Use svg, mermaid, dot or json")
	}
	page := graphPage{view: &view{}, Asked: viewQueryOf(v)}
	if err := page.chooseCenter(v); err != nil {
		return Answer{}, err
	}
	w, err := v.collect(page.Asked)
	if err != nil {
		return Answer{}, err
	}
	var text string
	switch format {
	case "svg":
		picture := w.picture(nil)
		picture.Legend = v.Query("look") == "" // the page has its own legend
		text = picture.SVG()
	case "json":
		raw, err := render.JSON(w.graph())
		if err != nil {
			return Answer{}, err
		}
		text = string(raw)
	default:
		text = w.graph().Render(format)
	}
	ending := map[string]string{"mermaid": "mmd"}[format]
	answer := File("graph-"+w.Center+"."+cmp.Or(ending, format), kind, text)
	if v.Query("look") != "" { // an image inside a page, not a download
		answer.Name = ""
	}
	return answer, nil
}

// graphPanel returns the panel of one node to the script.
func graphPanel(v *Visit) (Answer, error) {
	p, err := v.panelOf(v.Query("select"))
	if err != nil {
		return Answer{}, err
	}
	return v.Fragment("panel", p)
}

// Fragment renders one part of the page's template.
func (v *Visit) Fragment(name string, data any) (Answer, error) {
	out := v.server.about(v)
	out.Data = data
	text, err := v.server.part(v.page.Name, name, out)
	return Answer{Kind: "text/html; charset=utf-8", Body: text}, err
}
