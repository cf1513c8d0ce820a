package pages

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/decisions/links"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/history"
	"nomograph/policies/lab"
	"nomograph/policies/live"
	"nomograph/tools"
)

const (
	policyKind    = "policy"
	thresholdKind = "threshold"
)

// governed is the data of the page of a policy or threshold, with its history and dependents.
type governed struct {
	Kind, Name, Scope string
	Node              policies.Node
	Gone              string // why a node that existed is missing now
	Facts             []fact
	Entries           []history.Entry
	More              string
	Compared          *history.DiffResult
	Around            links.Graph
	Verdicts          []check.VerdictRow
	Chart             *chart
	Change            *planned
	Uses              []used // thresholds that a policy reads
}

// PageTitle returns the name.
func (g governed) PageTitle() string { return g.Name }

// Readers returns the policies that read the threshold.
func (g governed) Readers() []links.Node {
	return lists.Filter(g.Around.Nodes, func(n links.Node) bool {
		return n.Kind == policyKind && g.Kind == thresholdKind
	})
}

// Decisions returns the decisions with violations of this policy, or of the policies that read this threshold.
func (g governed) Decisions() []links.Node {
	return lists.Filter(g.Around.Nodes, func(n links.Node) bool { return n.Kind == "" })
}

// planned is a change of a threshold that the form previews.
type planned struct {
	From, To, Text string
	Problem        string
	Unusual        string // why the change needs a confirmation
	Unit, Bounds   string
	Replay         *lab.Replay // nil if no acts can be replayed, or the replay takes too long
}

func showPolicy(v *Visit) (any, error) {
	g, err := governedBy(v, policyKind)
	if err != nil {
		return g, err
	}
	return g, concurrently(func() (err error) {
		g.Uses, err = v.thresholdsOf(g.Node.Reading.Thresholds)
		return err
	}, func() error { return g.readViolations(v, []string{g.Name}) })
}

// used is a threshold that a policy reads, with its value in each scope.
type used struct {
	Name   string
	Values []live.ThresholdRow // empty if the threshold does not exist or the caller may not read it
}

const thresholdsRead = 200

// thresholdsOf reads the values of thresholds.
func (v *Visit) thresholdsOf(names []string) ([]used, error) {
	if len(names) == 0 {
		return nil, nil
	}
	list, err := callIfMay[live.ThresholdList](v, "list_thresholds",
		live.ThresholdFilter{Names: names[:min(len(names), thresholdsRead)]})
	return lists.Map(names, func(name string) used {
		return used{name, lists.Filter(list.Thresholds,
			func(row live.ThresholdRow) bool { return row.Name == name })}
	}), err
}

func showThreshold(v *Visit) (any, error) {
	g, err := governedBy(v, thresholdKind)
	if err != nil {
		return g, err
	}
	if text := v.Query("value"); text != "" && g.Gone == "" {
		g.Change = &planned{From: shownValue(g.Node.Properties["value"]), Text: text}
		stored := g.Node.Properties["value"]
		if value, err := valueLike(stored, text); err != nil {
			g.Change.Problem = apperr.From(err).Message
		} else if g.Change.Problem = policies.OtherType(g.Name, stored, value.Any()); g.Change.Problem == "" {
			g.Change.To = shownValue(value.Any())
			g.Change.Unusual = policies.Unusual(stored, value.Any())
			after := maps.Clone(g.Node.Properties)
			after["value"] = value.Any()
			g.Change.Problem = policies.OutOfBounds(after)
			if share, ok := policies.ToFloat(value.Any()); ok && g.Change.Problem != "" &&
				slices.Contains([]string{"ratio", "probability"}, normalize.Name(shownValue(after["unit"]))) {
				after["value"] = share / 100 // the person entered percent
				if policies.OutOfBounds(after) == "" {
					g.Change.Problem += ". It is a fraction of 1; did you mean " + shownValue(share/100) + "?"
				}
			}
			if g.Change.Problem == "" && g.Change.To == g.Change.From {
				g.Change.Problem = "the value is already " + g.Change.To
			}
			g.Change.Unit, g.Change.Bounds = shownValue(after["unit"]), policies.Bounds(after)
			if g.Change.Problem == "" {
				g.Change.Replay = v.preview(g.Name, value.Any())
			}
		}
	}
	var readers []string
	for _, reader := range g.Readers() {
		readers = append(readers, reader.Title)
	}
	if err := g.readViolations(v, readers); err != nil {
		return nil, err
	}
	g.Chart = g.chart(time.Now())
	return g, nil
}

// governedBy reads the named policy or threshold, its history, comparison and links.
func governedBy(v *Visit, kind string) (*governed, error) {
	g := &governed{Kind: kind, Name: v.Query("name"), Scope: v.Query("scope")}
	if g.Name == "" {
		return nil, apperr.Newf(apperr.Validation, "No %s selected", kind).WithHint("Choose one from the list")
	}
	var missing error
	err := concurrently(func() error { return g.remember(v) }, func() (err error) {
		g.Around, err = callIfMay[links.Graph](v, "get_graph", links.GraphQuery{NodeID: kind + ":" + g.Name, Limit: 50})
		if apperr.Is(err, apperr.NotFound) {
			err = nil
		}
		return err
	}, func() error {
		g.Node, missing = v.node(kind, g.Name, g.Scope, v.Query("as_of"))
		return nil
	})
	return g, cmp.Or(err, g.handleReadError(missing))
}

// node reads a policy or a threshold, whose operations have the same arguments.
func (v *Visit) node(kind, name, scope, asOf string) (policies.Node, error) {
	return Call[policies.Node](v, "get_"+kind, live.PolicyQuery{Name: name, Scope: scope, AsOf: asOf})
}

// remember reads the history, and the comparison that the URL asks for.
func (g *governed) remember(v *Visit) error {
	subject := policies.Subject{Kind: g.Kind, Name: g.Name}
	past, err := callIfMay[history.History](v, "get_history",
		history.Query{Subject: subject, Page: policies.Page{Cursor: v.Query("cursor")}})
	if err != nil && !apperr.Is(err, apperr.NotFound) {
		return err
	}
	g.Entries, g.More = past.Entries, past.NextCursor
	if from := v.Query("from"); from != "" {
		compared, err := callIfMay[history.DiffResult](v, "compare_versions",
			history.DiffQuery{Subject: subject, From: from, To: v.Query("to")})
		if err != nil {
			return err
		}
		g.Compared = &compared
	}
	return nil
}

// factsFirst are the properties that the page of a rule or threshold shows first; the others follow by name.
var factsFirst = []string{"description", "rationale", "message", "applies_when", "requires", "forbids_pattern",
	"alternatives"}

func rank(property string) int {
	if at := slices.Index(factsFirst, property); at >= 0 {
		return at
	}
	return len(factsFirst)
}

// handleReadError handles the result of reading the node. A missing node with a history is shown as deleted.
func (g *governed) handleReadError(err error) error {
	if apperr.Is(err, apperr.NotFound) && len(g.Entries) > 0 {
		g.Gone = apperr.From(err).Message
		return nil
	}
	for name, value := range g.Node.Properties {
		if !slices.Contains([]string{"name", "uid", "schema_version"}, name) && shownValue(value) != "" {
			g.Facts = append(g.Facts, fact{name, value})
		}
	}
	slices.SortFunc(g.Facts, func(a, b fact) int {
		return cmp.Or(rank(a.Name)-rank(b.Name), cmp.Compare(a.Name, b.Name))
	})
	return err
}

const (
	rulesShown    = 5 // rules whose verdicts are read
	verdictsShown = 500
)

// readViolations reads the newest violations of rules.
func (g *governed) readViolations(v *Visit, rules []string) error {
	rules = rules[:min(rulesShown, len(rules))]
	lists, reads := make([]check.VerdictList, len(rules)), make([]func() error, len(rules))
	for i, rule := range rules {
		reads[i] = reading(v, &lists[i], "list_verdicts",
			check.VerdictFilter{Rule: rule, Page: policies.Page{Limit: verdictsShown}})
	}
	if err := concurrently(reads...); err != nil {
		return err
	}
	for _, list := range lists {
		for _, row := range list.Verdicts {
			if !slices.ContainsFunc(g.Verdicts, func(had check.VerdictRow) bool {
				return had.VerdictID == row.VerdictID
			}) {
				g.Verdicts = append(g.Verdicts, row)
			}
		}
	}
	slices.SortFunc(g.Verdicts, func(a, b check.VerdictRow) int { return b.At.Compare(a.At) })
	return nil
}

// Newest returns the violations that the page lists.
func (g governed) Newest() []check.VerdictRow {
	const shown = 10
	return g.Verdicts[:min(shown, len(g.Verdicts))]
}

// chart builds the chart of a threshold's values, as far as the loaded history reaches, with the violations per day. It
// returns nil if the values are unknown or not numbers.
func (g *governed) chart(now time.Time) *chart {
	values, last := map[int64]float64{}, int64(0) // by Unix second
	for i, entry := range slices.Backward(g.Entries) {
		difference, changed := entry.Changes["value"]
		if entry.Scope != g.Node.Reading.Scope || !changed {
			continue
		}
		if value, ok := asNumber(difference.To); ok {
			last = max(entry.At.Unix(), last+1) // changes within one second need different values
			values[last] = value
		}
		if value, ok := asNumber(difference.From); ok && len(values) == 1 && i == len(g.Entries)-1 {
			values[entry.At.Unix()-1] = value
		}
	}
	if len(values) == 0 {
		return nil
	}
	if len(values) == 1 && len(g.Verdicts) == 0 { // one value that never mattered draws nothing but a line
		return nil
	}
	start := slices.Min(slices.Collect(maps.Keys(values)))
	days := map[int64]float64{}
	for _, row := range g.Verdicts {
		if day := row.At.Truncate(24 * time.Hour).Unix(); row.At.Unix() >= start {
			days[max(day, start)]++
		}
	}
	at := slices.Collect(maps.Keys(values))
	for day := range days {
		at = append(at, day)
	}
	at = append(at, now.Unix())
	slices.Sort(at)
	at = slices.Compact(at)
	d := &chart{Label: "Values of " + g.Name + " over time, and violations of the rules that read it", Series: []series{
		{Label: cmp.Or(shownValue(g.Node.Properties["unit"]), "value"), Form: "steps", Color: "link"},
		{Label: "violations per day", Form: "bars", Color: "failure", Count: true}}}
	var newest *float64
	for _, second := range at {
		if value, ok := values[second]; ok {
			newest = &value
		}
		var count *float64
		if n, ok := days[second]; ok {
			count = &n
		}
		d.X = append(d.X, float64(second))
		d.Series[0].Values, d.Series[1].Values = append(d.Series[0].Values, newest), append(d.Series[1].Values, count)
	}
	return d
}

func asNumber(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// valueLike parses text as a value of the type of the stored value. Text that does not parse stays a string.
func valueLike(stored any, text string) (value policies.Value, err error) {
	kind := policies.JSONType(stored)
	if kind == "list" {
		return value, apperr.New(apperr.Validation, "A form cannot edit a list").
			WithHint("Change the value with `set_threshold`")
	}
	raw, err := json.Marshal(tools.FromText(&jsonschema.Schema{Type: kind}, strings.TrimSpace(text)))
	if err == nil {
		err = json.Unmarshal(raw, &value)
	}
	if err != nil { // a number that does not fit into 64 bits
		return value, apperr.New(apperr.Validation, render.Cut(err.Error(), 100))
	}
	return value, nil
}

// setThreshold changes a value if it is still the one that the form showed.
func setThreshold(v *Visit) (string, error) {
	name, scope := v.Query("name"), v.Query("scope")
	node, err := v.node(thresholdKind, name, scope, "")
	if err != nil {
		return "", err
	}
	value, err := valueLike(node.Properties["value"], v.Form("value"))
	if err != nil {
		return "", err
	}
	return v.do(link("/threshold", "name", name, "scope", scope), "set_threshold",
		change.ThresholdChange{Name: name, Scope: scope, Value: value, Reason: v.Form("reason"),
			IfVersion: v.Form("version"), Confirm: v.Form("confirm") == "true"})
}

func setPolicyMode(v *Visit) (string, error) {
	return v.do("", "set_policy_mode", change.PolicyModeChange{Name: v.Query("name"), Scope: v.Query("scope"),
		Mode: v.Form("mode"), Reason: v.Form("reason")})
}

func switchPolicy(operation string) Act {
	return func(v *Visit) (string, error) {
		return v.do("", operation,
			change.PolicySwitch{Name: v.Query("name"), Scope: v.Query("scope"), Reason: v.Form("reason")})
	}
}

// revert restores an earlier version of a policy or threshold.
func revert(kind string) Act {
	return func(v *Visit) (string, error) {
		return v.do(link("/"+kind, "name", v.Query("name"), "scope", v.Query("scope")), "revert",
			change.RevertRequest{Subject: policies.Subject{Kind: kind, Name: v.Query("name")}, To: v.Form("to"),
				Reason: v.Form("reason")})
	}
}
