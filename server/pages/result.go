package pages

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nomograph/decisions/drawing"
	"nomograph/decisions/links"
	"nomograph/graph"
	"nomograph/internal/render"
)

// picture is the graph of the nodes in a query result, for SVG and for the script.
type picture struct {
	Nodes []pictureNode `json:"nodes"`
	Edges []links.Edge  `json:"edges"`
	Left  int           `json:"-"` // number of nodes beyond maxPictured

	drawn drawing.Picture
}

// pictureNode is a node of a query result as it is drawn.
type pictureNode struct {
	ID      string      `json:"id"`
	Kind    string      `json:"kind,omitempty"` // kind on the graph page, or the label in lower case
	Title   string      `json:"title"`
	Outcome string      `json:"outcome,omitempty"`
	Size    float64     `json:"size"`
	Labels  string      `json:"labels"`
	Facts   [][2]string `json:"facts"`
	Link    string      `json:"link,omitempty"` // to its page
}

// resultNode is a node or relationship as query results encode it.
type resultNode struct {
	ElementID  string         `json:"element_id"`
	Labels     []string       `json:"labels"`
	Properties map[string]any `json:"properties"`
	Type       string         `json:"type"` // relationships only
	Start      string         `json:"start"`
	End        string         `json:"end"`
}

const (
	maxPictured   = 2000
	maxFacts      = 16
	maxFactLength = 300
)

// pictureOf collects the nodes and relationships in rows at any depth. It returns nil if there are no nodes.
func pictureOf(rows [][]any) (*picture, error) {
	nodes, edges, err := nodesIn(rows)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	p := &picture{Left: max(0, len(nodes)-maxPictured), Edges: []links.Edge{}}
	place := map[string]int{}
	for i, n := range nodes[:len(nodes)-p.Left] {
		place[n.ElementID] = i
		p.Nodes = append(p.Nodes, n.pictureNode())
	}
	p.drawn.Title = "Nodes and relationships of the result"
	for _, n := range p.Nodes {
		p.drawn.Nodes = append(p.drawn.Nodes, drawing.Node{ID: n.ID, Label: n.Title, Words: n.Labels + ": " + n.Title,
			Kind: n.Kind, Look: n.Outcome, Size: n.Size, Link: n.Link})
	}
	for _, e := range edges {
		start, from := place[e.Start]
		end, to := place[e.End]
		if from && to {
			p.Edges = append(p.Edges, links.Edge{SourceID: e.Start, TargetID: e.End, EdgeType: strings.ToLower(e.Type),
				Weight: 1})
			p.drawn.Edges = append(p.drawn.Edges, drawing.Edge{From: start, To: end, Kind: strings.ToLower(e.Type),
				Words: e.Type})
		}
	}
	return p, nil
}

// JSON returns the data for the script.
func (p *picture) JSON() (string, error) {
	text, err := render.JSON(p)
	return string(text), err
}

// nodesIn returns the distinct nodes and relationships in rows.
func nodesIn(rows [][]any) (nodes, edges []resultNode, err error) {
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, nil, err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, nil, err
	}
	known := map[string]bool{}
	var find func(any)
	find = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, item := range v {
				find(item)
			}
		case map[string]any:
			var n resultNode
			if raw, err := json.Marshal(v); err == nil && v["element_id"] != nil && json.Unmarshal(raw, &n) == nil {
				switch {
				case known[n.ElementID]:
				case n.Start != "":
					edges = append(edges, n)
				default:
					nodes = append(nodes, n)
				}
				known[n.ElementID] = true
				return
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				find(v[name])
			}
		}
	}
	find(plain)
	return nodes, edges, nil
}

// cellOf returns a value of a query result for a table. Nodes and relationships are shortened and list their
// properties; others are text.
func cellOf(value any) pictureNode {
	raw, err := json.Marshal(value)
	var n resultNode
	if err != nil || len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &n) != nil || n.ElementID == "" {
		return pictureNode{Title: shownValue(value)}
	}
	if n.Start != "" {
		return pictureNode{Labels: n.Type, Facts: n.pictureNode().Facts}
	}
	return n.pictureNode()
}

// kindsOf maps node labels to kinds of the graph page. A decision has the kind "".
var kindsOf = map[string]string{"Decision": "", "SYS_Policy": policyKind, "SYS_Threshold": thresholdKind,
	"Verdict": "verdict", "Session": "session", "Agent": "agent", "Pattern": "pattern"}

// pictureNode returns a node as it is drawn, with a link to its page if it has one.
func (n resultNode) pictureNode() pictureNode {
	out := pictureNode{ID: n.ElementID, Labels: strings.Join(n.Labels, " "),
		Outcome: graph.Text(n.Properties, "outcome"), Facts: [][2]string{}}
	out.Kind = strings.ToLower(out.Labels)
	for _, label := range n.Labels {
		if kind, ok := kindsOf[label]; ok {
			out.Kind = kind
		}
	}
	out.Size = defaultSize
	if confidence, ok := n.Properties["confidence"].(float64); ok {
		out.Size = confidence
	}
	for _, name := range []string{"name", "title", "decision", "text", "id", "uid"} {
		if out.Title = render.Title(graph.Text(n.Properties, name)); out.Title != "" {
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		if value := shownValue(n.Properties[name]); value != "" && len(out.Facts) < maxFacts {
			out.Facts = append(out.Facts, [2]string{strings.ReplaceAll(name, "_", " "),
				render.Cut(value, maxFactLength)})
		}
	}
	page := map[string]string{"Decision": "id", "SYS_Policy": "name", "SYS_Threshold": "name", "Verdict": "uid",
		"Session": "uid"}
	for _, label := range n.Labels {
		if id := graph.Text(n.Properties, page[label]); id != "" {
			out.Link = wholePage(strings.TrimPrefix(out.Kind+":"+id, ":"))
		}
	}
	return out
}
