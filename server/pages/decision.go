package pages

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/attribution"
	"nomograph/decisions/links"
	"nomograph/graph"
	"nomograph/internal/render"
)

// decision is the data of the page of one decision. Moments are newest first.
type decision struct {
	D                        map[string]any
	Facts                    []fact
	Supersedes, SupersededBy []decisions.Link
	Groups                   []linkGroup
	Failed                   *links.Lineage // dependents of a failed decision
	Broken                   []links.Node   // failed decisions that this one depends on
	Moments                  []moment
	Map                      template.HTML            // drawing of the nearest linked decisions; "" for none
	Proposals                *attribution.Attribution // result of the form's request
}

// PageTitle returns the first line of the decision.
func (d decision) PageTitle() string { return plain(render.Title(graph.Text(d.D, "decision"))) }

// Made returns when the decision was made, according to its source.
func (d decision) Made() time.Time {
	at, _ := time.Parse(time.RFC3339Nano, shownValue(d.D["created_at"]))
	return at
}

// Text returns the decision without a first line that the heading shows whole.
func (d decision) Text() string {
	text := strings.TrimSpace(graph.Text(d.D, "decision"))
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimSpace(first) == d.PageTitle() && !strings.HasPrefix(first, "```") &&
		!strings.HasPrefix(first, "~~~") { // without Markdown
		return strings.TrimSpace(rest)
	}
	return text
}

// linkGroup holds the links of one type and direction.
type linkGroup struct {
	Name  string
	Links []decisions.Link
}

// grouped adds a link to the group of its type and direction.
func (d *decision) grouped(link decisions.Link) {
	name := labels[link.Type+" "+link.Direction]
	if name == "" {
		name = capital(strings.ReplaceAll(link.Type, "_", " ")) + " (" + link.Direction + ")"
	}
	at := slices.IndexFunc(d.Groups, func(g linkGroup) bool { return g.Name == name })
	if at < 0 {
		at = len(d.Groups)
		d.Groups = append(d.Groups, linkGroup{Name: name})
	}
	if !slices.ContainsFunc(d.Groups[at].Links, func(l decisions.Link) bool { return l.ID == link.ID }) { // not related in both directions
		d.Groups[at].Links = append(d.Groups[at].Links, link)
	}
}

const lineageRead = 500

// failed reports whether others must not depend on a decision with this outcome.
func failed(outcome string) bool { return outcome == "failure" || outcome == "abandoned" }

// dependents reads which decisions depend on a failed one.
func (v *Visit) dependents(id string) (*links.Lineage, error) {
	lineage, err := callIfMay[links.Lineage](v, "get_lineage", links.LineageQuery{ID: id, Limit: lineageRead})
	if len(lineage.Decisions) == 0 {
		return nil, err
	}
	return &lineage, err
}

// broken reads on which failed decisions a decision depends.
func (v *Visit) broken(id string) (nodes []links.Node, err error) {
	lineage, err := callIfMay[links.Lineage](v, "get_lineage",
		links.LineageQuery{ID: id, Direction: "dependencies", Limit: lineageRead})
	for _, node := range lineage.Decisions {
		if failed(node.Outcome) && !node.Superseded && !node.Retracted {
			nodes = append(nodes, node.Node)
		}
	}
	return nodes, err
}

type fact struct {
	Name  string
	Value any
}

// moment is an entry of the timeline: decided, recorded, imported, revised, reviewed or checked.
type moment struct {
	At      time.Time
	Kind    string
	By, Why string
	Changes map[string]decisions.Change
	Review  *decisions.Review
	Verdict *decisions.RecordingVerdict
}

// ownSections lists the properties that the page shows in their own sections, not among the other facts.
var ownSections = strings.Fields("decision context reasons reviews history links deliberation verdicts uri title outcome " +
	"status actual_result lessons uid")

func showDecision(v *Visit) (any, error) {
	got, err := Call[decisions.Details](v, "get_decision", decisions.GetQuery{ID: v.PathValue("id")})
	if err != nil {
		return nil, err
	}
	d := decision{D: got.Decision, Proposals: v.proposals}
	for name, value := range got.Decision {
		if !slices.Contains(ownSections, name) && shownValue(value) != "" {
			d.Facts = append(d.Facts, fact{name, value})
		}
	}
	slices.SortFunc(d.Facts, func(a, b fact) int { return cmp.Compare(a.Name, b.Name) })
	all, _ := got.Decision["links"].([]decisions.Link)
	id := graph.Text(got.Decision, "id")
	if err := concurrently(func() (err error) {
		if failed(graph.Text(got.Decision, "outcome")) {
			d.Failed, err = v.dependents(id)
		}
		return err
	}, func() (err error) {
		if slices.ContainsFunc(all, func(l decisions.Link) bool {
			return l.Type == "depends_on" && l.Direction == "outgoing"
		}) {
			d.Broken, err = v.broken(id)
		}
		return err
	}); err != nil {
		return nil, err
	}
	d.Map = d.mapOf(all)
	for _, link := range all {
		switch {
		case link.Type == "supersedes" && link.Direction == "outgoing":
			d.Supersedes = append(d.Supersedes, link)
		case link.Type == "supersedes":
			d.SupersededBy = append(d.SupersededBy, link)
		default:
			d.grouped(link)
		}
	}
	d.Moments = momentsOf(got.Decision, d.Made())
	return d, nil
}

const (
	maxMapNodes = 9   // more would make labels unreadable
	mapsWidth   = 560 // pixels, as much as a column of two has on a window of 1,280
)

// mapOf draws the decision with its first linked decisions. Each one links to its page.
func (d decision) mapOf(all []decisions.Link) template.HTML {
	center := graph.Text(d.D, "id")
	near := links.Graph{CenterID: center, Nodes: []links.Node{{ID: center, Title: d.PageTitle(),
		Outcome: graph.Text(d.D, "outcome")}}}
	for _, l := range all {
		if !slices.ContainsFunc(near.Nodes, func(n links.Node) bool { return n.ID == l.ID }) {
			if len(near.Nodes) == maxMapNodes {
				continue
			}
			near.Nodes = append(near.Nodes, links.Node{ID: l.ID, Title: plain(l.Title), Outcome: l.Outcome,
				Superseded: l.Superseded, Retracted: l.Retracted, Distance: 1})
		}
		edge := links.Edge{SourceID: center, TargetID: l.ID, EdgeType: l.Type, Weight: l.Weight}
		if l.Direction == "incoming" {
			edge.SourceID, edge.TargetID = l.ID, center
		}
		near.Edges = append(near.Edges, edge)
	}
	if len(near.Nodes) < 2 {
		return ""
	}
	picture := near.Picture()
	picture.Title, picture.Legend, picture.Width = "Linked decisions", false, mapsWidth
	for i, node := range near.Nodes {
		if node.ID != center {
			picture.Nodes[i].Link = wholePage(node.ID)
		}
	}
	return safeHTML(picture.SVG()) // SVG escapes every text
}

// order sorts moments of the same time in the order in which one operation stores them.
var order = map[string]int{"checked": 0, "decided": 1, "recorded": 2, "imported": 2, "revised": 3, "reviewed": 4}

// momentsOf returns the timeline of a decision, newest first. An imported decision was made, and possibly reviewed,
// before it was recorded here.
func momentsOf(p map[string]any, created time.Time) (moments []moment) {
	history, _ := p["history"].([]decisions.Revision)
	for _, r := range history {
		kind := "revised"
		if r.Revision == 0 {
			kind = "recorded"
			if graph.Text(p, "source") != "" {
				kind = "imported"
				first := moment{At: created, Kind: "decided", By: graph.Text(p, "agent")}
				if created.IsZero() || created.After(r.At) { // the source has no date
					first.At = r.At
				}
				moments = append(moments, first)
			}
		}
		moments = append(moments, moment{At: r.At, Kind: kind, By: r.By, Why: r.Why, Changes: r.Changes})
	}
	reviews, _ := p["reviews"].([]decisions.Review)
	for _, r := range reviews {
		moments = append(moments, moment{At: r.At, Kind: "reviewed", By: r.By, Review: &r})
	}
	verdicts, _ := p["verdicts"].([]decisions.RecordingVerdict)
	for _, j := range verdicts {
		moments = append(moments, moment{At: j.At, Kind: "checked", Verdict: &j, Why: j.Forced})
	}
	place := func(m moment) time.Time { // a source may date a review before its decision
		if m.Kind == "reviewed" && m.At.Before(created) {
			return created
		}
		return m.At
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return cmp.Or(place(b).Compare(place(a)), order[b.Kind]-order[a.Kind])
	})
	return moments
}

// reviewDecision stores the outcome of a decision.
func reviewDecision(v *Visit) (string, error) {
	return v.do("", "review_outcome", decisions.Outcome{ID: v.PathValue("id"), Outcome: v.Form("outcome"),
		ActualResult: v.Form("actual_result"), Lessons: v.Form("lessons"), Notes: v.Form("notes")})
}

// proposeOutcome searches the git history for the outcome of the decision and shows the evidence.
func proposeOutcome(v *Visit) (string, error) {
	found, err := Call[attribution.Attribution](v, "propose_outcomes", attribution.Query{Project: v.Form("project")})
	if err != nil {
		return "", err
	}
	found.Proposals = slices.DeleteFunc(found.Proposals,
		func(p attribution.OutcomeProposal) bool { return p.ID != v.PathValue("id") })
	v.proposals = &found
	return unchanged, nil
}
