package pages

import (
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/internal/apperr"
	"nomograph/policies"
)

// panel is the side panel with the details of the selected node.
type panel struct {
	ID, Kind, Title string
	Text            string
	Outcome         string
	Facts           [][2]string
	Reasons         []decisions.Reason
	Verdicts        []decisions.RecordingVerdict
	Links           []decisions.Link
	Sessions        []string
	Whole           string // URL of its own page
	Center          bool   // can be the center of a view
	// addresses of the view with what is around it, and with the path to it; "" where no view is known
	Expand, Path string
}

const maxPanelLinks = 12

// panelOf reads the details of a node. Errors of the operation, such as not_found, are returned unchanged.
func (v *Visit) panelOf(id string) (*panel, error) {
	kind, name, _ := strings.Cut(id, ":")
	switch kind {
	case policyKind, thresholdKind:
		node, err := v.node(kind, name, "", "")
		return panelOfRule(kind, name, node), err
	case "agent", "pattern", "verdict", "session":
		return &panel{ID: id, Kind: kind, Title: name, Whole: wholePage(id)}, nil
	}
	if id == "" {
		return nil, apperr.New(apperr.Validation, "`select` is missing").WithHint("Pass the name of a node")
	}
	details, err := Call[decisions.Details](v, "get_decision", decisions.GetQuery{ID: id, History: new(false)})
	if err != nil {
		return nil, err
	}
	return panelOfDecision(details.Decision), nil
}

// wholePage returns the URL of a node's page, or of the decisions of a pattern.
func wholePage(id string) string {
	switch kind, name, _ := strings.Cut(id, ":"); kind {
	case policyKind, thresholdKind:
		return link("/"+kind, "name", name)
	case "verdict":
		return "/verdicts/" + name
	case "session":
		return link("/session", "id", name)
	case "agent":
		return link("/agent", "name", name)
	case "pattern":
		return link("/decisions", "pattern", name)
	}
	return "/decisions/" + id
}

func panelOfRule(kind, name string, node policies.Node) *panel {
	p := &panel{ID: kind + ":" + name, Kind: kind, Title: name, Center: true, Whole: wholePage(kind + ":" + name)}
	for _, field := range strings.Fields("value unit active severity mode message description rationale applies_when " +
		"requires forbids_pattern") {
		p.fact(field, node.Properties[field])
	}
	return p
}

// onceRelated returns links without the second of two that relate the same decisions, one in each direction.
func onceRelated(all []decisions.Link) []decisions.Link {
	var once []decisions.Link
	for _, link := range all {
		if link.Type != "relates_to" || !slices.ContainsFunc(once,
			func(l decisions.Link) bool { return l.ID == link.ID && l.Type == link.Type }) {
			once = append(once, link)
		}
	}
	return once
}

func panelOfDecision(d map[string]any) *panel {
	text := func(name string) string { value, _ := d[name].(string); return value }
	told := decision{D: d}
	p := &panel{ID: text("id"), Title: told.PageTitle(), Text: told.Text(), Outcome: text("outcome"), Center: true,
		Whole: "/decisions/" + text("id")}
	p.Reasons, _ = d["reasons"].([]decisions.Reason)
	p.Verdicts, _ = d["verdicts"].([]decisions.RecordingVerdict)
	p.Links, _ = d["links"].([]decisions.Link)
	p.Links = onceRelated(p.Links)
	p.Links = p.Links[:min(len(p.Links), maxPanelLinks)]
	p.Sessions, _ = d["sessions"].([]string)
	for _, field := range strings.Fields("agent project feature category stakes confidence status created_at reviewed_at " +
		"retracted_at tags pattern commit pr file line source external_id source_status") {
		p.fact(field, d[field])
	}
	return p
}

// fact adds a property unless its value is empty.
func (p *panel) fact(name string, value any) {
	if text := strings.ReplaceAll(readable(value), "; ", ", "); text != "" {
		p.Facts = append(p.Facts, [2]string{strings.ReplaceAll(name, "_", " "), text})
	}
}
