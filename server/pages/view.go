package pages

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/decisions/drawing"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// view is a part of the graph: the neighborhood of a center, and nodes that were added to it.
type view struct {
	Center    string      `json:"center"`
	Nodes     []graphNode `json:"nodes"`
	Edges     []graphEdge `json:"edges"`
	Truncated bool        `json:"truncated"`
	Notes     []string    `json:"notes"`
	Filtered  int         `json:"filtered"` // number of nodes hidden by filters

	choices choices
	index   map[string]int
	known   map[[3]string]int
}

// graphNode is a node with its appearance.
type graphNode struct {
	links.Node
	Size   float64 `json:"size"`             // 0 to 1
	Hidden int     `json:"hidden,omitempty"` // number of links outside the view
	Strong bool    `json:"strong,omitempty"` // on the path or in the lineage
	Round  int     `json:"round,omitempty"`  // number of the expansion that added it; 0 for none
}

type graphEdge struct {
	links.Edge
	Strong bool `json:"strong,omitempty"`
}

// Expands reports whether a node can be the center of a view.
func (n graphNode) Expands() bool {
	return n.Kind == "" || n.Kind == "policy" || n.Kind == "threshold"
}

func (n graphNode) drawn() drawing.Node {
	words := []string{n.Title}
	for _, word := range []string{n.Kind, n.Category, n.Outcome, n.AgentID} {
		if word != "" {
			words = append(words, word)
		}
	}
	return drawing.Node{ID: n.ID, Label: n.Title, Words: strings.Join(words, ", "), Kind: n.Kind, Look: n.Outcome,
		Size: n.Size, Faded: n.Superseded || n.Retracted,
		Center: n.Distance == 0 && n.Round == 0, Strong: n.Strong, More: n.Hidden}
}

func (w *view) drawnEdge(e graphEdge) drawing.Edge {
	return drawing.Edge{From: w.index[e.SourceID], To: w.index[e.TargetID], Kind: e.EdgeType,
		Words: strings.ReplaceAll(e.EdgeType, "_", " "), Strong: e.Strong}
}

// collect reads a view through the operations of the catalog.
func (v *Visit) collect(a viewQuery) (*view, error) {
	g, err := Call[links.Graph](v, "get_graph", links.GraphQuery{NodeID: a.Center, Depth: a.Depth, Limit: a.Limit,
		EdgeTypes: a.Types, IncludeAutomatic: a.Automatic})
	if err != nil {
		return nil, err
	}
	w := &view{Center: g.CenterID, Truncated: g.Truncated, Notes: g.Notes, index: map[string]int{},
		known: map[[3]string]int{}}
	w.add(g, 0)
	expansions, reads := make([]links.Graph, len(a.Expand)), make([]func() error, len(a.Expand))
	for i, id := range a.Expand {
		reads[i] = func() (err error) {
			expansions[i], err = v.expansion(id, a)
			return err
		}
	}
	if err := concurrently(reads...); err != nil {
		return nil, err
	}
	for i, expansion := range expansions {
		w.add(expansion, i+1)
		w.Notes = append(w.Notes, expansion.Notes...)
	}
	if err := v.addPath(w, a); err != nil {
		return nil, err
	}
	if err := v.addLineage(w, a); err != nil {
		return nil, err
	}
	w.choices = w.offered()
	w.filter(a)
	if err := v.addOtherNodes(w, a); err != nil {
		return nil, err
	}
	w.finish(a)
	return w, nil
}

func (w *view) add(g links.Graph, round int) {
	for _, n := range g.Nodes {
		w.node(n, round)
	}
	for _, e := range g.Edges {
		w.edge(e)
	}
}

// node adds a node unless it is in the view already, and returns its index.
func (w *view) node(n links.Node, round int) int {
	if at, ok := w.index[n.ID]; ok {
		return at
	}
	at := len(w.Nodes)
	w.index[n.ID] = at
	n.Title = plain(n.Title)
	w.Nodes = append(w.Nodes, graphNode{Node: n, Round: round})
	return at
}

func (w *view) edge(e links.Edge) int {
	key := [3]string{e.SourceID, e.TargetID, e.EdgeType}
	if at, ok := w.known[key]; ok {
		return at
	}
	w.known[key] = len(w.Edges)
	w.Edges = append(w.Edges, graphEdge{Edge: e})
	return len(w.Edges) - 1
}

// expansion returns the neighbors of a node. A deleted node is only a note, because the URL may be old.
func (v *Visit) expansion(id string, a viewQuery) (g links.Graph, err error) {
	if kind, name, _ := strings.Cut(id, ":"); kind == "agent" {
		made, err := Call[precedents.List](v, "list_decisions",
			precedents.ListQuery{AgentID: name, Limit: expansionLimit})
		for _, d := range made.Decisions {
			g.Nodes = append(g.Nodes, nodeOf(d))
		}
		return g, err
	}
	g, err = Call[links.Graph](v, "get_graph", links.GraphQuery{NodeID: id, Depth: 1, Limit: expansionLimit + 1,
		EdgeTypes: a.Types, IncludeAutomatic: a.Automatic})
	g.Notes = nil
	if apperr.Is(err, apperr.NotFound) {
		return links.Graph{Notes: []string{id + " no longer exists"}}, nil
	}
	return g, err
}

func nodeOf(d decisions.Summary) links.Node {
	return links.Node{ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes, Status: d.Status,
		Outcome: d.Outcome, Confidence: d.Confidence, Date: d.Date, Tags: d.Tags,
		Pattern: d.Pattern, AgentID: d.AgentID, Project: d.Project, Retracted: d.Retracted, Distance: 1}
}

// addPath adds a shortest path from the center or from another node.
func (v *Visit) addPath(w *view, a viewQuery) error {
	if a.To == "" {
		return nil
	}
	path, err := Call[links.Path](v, "find_path",
		links.PathQuery{From: cmp.Or(a.From, w.Center), To: a.To, EdgeTypes: a.Types, IncludeAutomatic: a.Automatic})
	switch {
	case apperr.Is(err, apperr.NotFound), apperr.Is(err, apperr.Validation), apperr.Is(err, apperr.Conflict):
		w.Notes = append(w.Notes, tools.SpellError(apperr.From(err), tools.Command).Error())
		return nil
	case err != nil:
		return err
	case !path.Found:
		w.Notes = append(w.Notes, fmt.Sprintf("No path of at most 6 links from %s to %s", cmp.Or(a.From, "the center"),
			a.To))
	}
	for _, n := range path.Nodes {
		w.Nodes[w.node(n, 0)].Strong = true
	}
	for _, e := range path.Edges {
		w.Edges[w.edge(e.Edge)].Strong = true
	}
	return nil
}

// addLineage adds the dependents or the dependencies of the center, direct and indirect.
func (v *Visit) addLineage(w *view, a viewQuery) error {
	if a.Lineage != "dependents" && a.Lineage != "dependencies" {
		return nil
	}
	lineage, err := Call[links.Lineage](v, "get_lineage",
		links.LineageQuery{ID: w.Center, Direction: a.Lineage, Limit: expansionLimit * 5})
	if apperr.Is(err, apperr.NotFound) { // the center is a policy or threshold
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range lineage.Decisions {
		w.Nodes[w.node(d.Node, 0)].Strong = true
	}
	for _, d := range lineage.Decisions {
		e := links.Edge{SourceID: d.ID, TargetID: d.Via, EdgeType: d.Through, Weight: 1}
		if (d.Through == "depends_on") == (a.Lineage == "dependencies") {
			e.SourceID, e.TargetID = d.Via, d.ID
		}
		_, from := w.index[e.SourceID]
		_, to := w.index[e.TargetID]
		if from && to {
			w.Edges[w.edge(e)].Strong = true
		}
	}
	if n := len(lineage.Decisions); a.Lineage == "dependents" {
		w.Notes = append(w.Notes, fmt.Sprintf("Decisions that depend on the center: %d, without an outcome: %d", n,
			lineage.Pending))
	} else {
		w.Notes = append(w.Notes, "The center depends on "+render.Plural(n, "decision"))
	}
	return nil
}

// offered returns the values that filters can select.
func (w *view) offered() choices {
	agents, projects, categories, tags := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, n := range w.Nodes {
		agents[n.AgentID], projects[n.Project], categories[n.Category] = true, true, true
		for _, tag := range n.Tags {
			tags[tag] = true
		}
	}
	sorted := func(all map[string]bool) []string {
		delete(all, "")
		return slices.Sorted(maps.Keys(all))
	}
	return choices{sorted(agents), sorted(projects), sorted(categories), sorted(tags)}
}

// filter removes decisions that do not pass the filters. It keeps the center, paths and lineages.
func (w *view) filter(a viewQuery) {
	all, edges := w.Nodes, w.Edges
	w.Nodes, w.Edges, w.index, w.known = []graphNode{}, []graphEdge{}, map[string]int{}, map[[3]string]int{}
	for _, n := range all {
		if n.ID != w.Center && !n.Strong && n.Kind == "" && !a.matches(n.Node) {
			w.Filtered++
			continue
		}
		w.index[n.ID] = len(w.Nodes)
		w.Nodes = append(w.Nodes, n)
	}
	for _, e := range edges {
		_, from := w.index[e.SourceID]
		_, to := w.index[e.TargetID]
		if from && to {
			w.known[[3]string{e.SourceID, e.TargetID, e.EdgeType}] = len(w.Edges)
			w.Edges = append(w.Edges, e)
		}
	}
}

// addOtherNodes adds other nodes: agents and patterns of decisions in the view, and verdicts and sessions of the
// center and of expanded or selected decisions.
func (v *Visit) addOtherNodes(w *view, a viewQuery) error {
	decided := slices.Clone(w.Nodes)
	for _, n := range decided {
		if n.Kind != "" {
			continue
		}
		if a.Has("show", "agent") && n.AgentID != "" {
			w.addNeighbor("agent", n.AgentID, n, "made")
		}
		if a.Has("show", "pattern") && n.Pattern != "" {
			w.addNeighbor("pattern", n.Pattern, n, "follows")
		}
	}
	if !a.Has("show", "verdict") && !a.Has("show", "session") {
		return nil
	}
	closely := append([]string{w.Center}, a.Expand...)
	if a.Select != "" {
		closely = append(closely, a.Select)
	}
	for _, id := range closely[:min(len(closely), 8)] {
		at, ok := w.index[id]
		if !ok || w.Nodes[at].Kind != "" {
			continue
		}
		if err := v.addVerdictsAndSessions(w, w.Nodes[at], a); err != nil {
			return err
		}
	}
	return nil
}

// addNeighbor adds a node of a different kind and links it with a decision.
func (w *view) addNeighbor(kind, name string, d graphNode, how string) {
	id := kind + ":" + name
	w.node(links.Node{ID: id, Kind: kind, Title: name, Distance: d.Distance + 1}, d.Round)
	e := links.Edge{SourceID: d.ID, TargetID: id, EdgeType: how, Weight: 1}
	if how == "made" {
		e.SourceID, e.TargetID = id, d.ID
	}
	w.edge(e)
}

// addVerdictsAndSessions adds the verdicts on a decision and the sessions in which it was deliberated.
func (v *Visit) addVerdictsAndSessions(w *view, d graphNode, a viewQuery) error {
	details, err := Call[decisions.Details](v, "get_decision", decisions.GetQuery{ID: d.ID})
	if err != nil {
		return err
	}
	if sessions, _ := details.Decision["sessions"].([]string); a.Has("show", "session") {
		for _, id := range sessions {
			w.addNeighbor("session", id, d, "deliberated in")
		}
	}
	verdicts, _ := details.Decision["verdicts"].([]decisions.RecordingVerdict)
	if !a.Has("show", "verdict") {
		return nil
	}
	for _, verdict := range verdicts {
		answer := "denied"
		if verdict.Allowed {
			answer = "allowed"
		}
		w.node(links.Node{ID: "verdict:" + verdict.ID, Kind: "verdict", Title: answer, Date: verdict.At,
			Distance: d.Distance + 1}, d.Round)
		w.edge(links.Edge{SourceID: "verdict:" + verdict.ID, TargetID: d.ID, EdgeType: "evaluated", Weight: 1})
	}
	return nil
}

// betweenDecisions lists the link types that in_degree and out_degree count.
var betweenDecisions = []string{"relates_to", "supersedes", "depends_on", "contradicts", "blocks"}

// finish computes the size of each node, by the number of links to it or by confidence, and its number of hidden links.
func (w *view) finish(a viewQuery) {
	shownLinks, to := map[string]int{}, map[string]int64{}
	for _, e := range w.Edges {
		to[e.TargetID]++
		if slices.Contains(betweenDecisions, e.EdgeType) {
			shownLinks[e.SourceID]++
			shownLinks[e.TargetID]++
		}
	}
	most := int64(minMost)
	for _, n := range w.Nodes {
		to[n.ID] = max(to[n.ID], n.InDegree)
		most = max(most, to[n.ID])
	}
	for i := range w.Nodes {
		n := &w.Nodes[i]
		n.Size = math.Sqrt(float64(to[n.ID]) / float64(most))
		if a.Size == "confidence" {
			n.Size = defaultSize
			if n.Confidence != nil {
				n.Size = *n.Confidence
			}
		}
		n.Hidden = max(0, int(n.InDegree+n.OutDegree)-shownLinks[n.ID])
	}
}

const (
	defaultSize = 0.35 // of a node without confidence
	minMost     = 8    // links to a node of full size, at least
)

// graph returns the view in the format of get_graph.
func (w *view) graph() links.Graph {
	g := links.Graph{CenterID: w.Center, Nodes: []links.Node{}, Edges: []links.Edge{}, NodeCount: len(w.Nodes),
		EdgeCount: len(w.Edges), Truncated: w.Truncated}
	for _, n := range w.Nodes {
		g.Nodes = append(g.Nodes, n.Node)
	}
	for _, e := range w.Edges {
		g.Edges = append(g.Edges, e.Edge)
	}
	return g
}
