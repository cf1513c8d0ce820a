package pages

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
	"nomograph/policies"
	"nomograph/policies/lab"
	"nomograph/policies/live"
)

// labFilter reads the filters of the recorded acts. Without a window, the last 30 days count.
func labFilter(v *Visit) lab.Filter {
	since := v.Query("date_after")
	if !v.query.Has("date_after") {
		since = defaultWindow
	}
	return lab.Filter{AgentID: v.Query("agent_id"), Project: v.Query("project"), Category: v.Query("category"),
		Range: timeparse.Range{DateAfter: since}}
}

// acts is a number of acts with what happened to them.
type acts struct {
	n    int
	what string
}

// listText lists the counts that are not zero.
func listText(counts ...acts) string {
	var words []string
	for _, c := range counts {
		if c.n > 0 {
			words = append(words, fmt.Sprint(c.n, " ", c.what))
		}
	}
	return strings.Join(words, ", ")
}

func countsOf(o lab.Outcomes) []acts {
	return []acts{{o.Failure, "failed"}, {o.Partial, "partly succeeded"}, {o.Success, "succeeded"},
		{o.Abandoned, "abandoned"}, {o.Unreviewed, "not reviewed"}}
}

// outcomesText describes how many acts had each outcome.
func outcomesText(o lab.Outcomes) string { return listText(countsOf(o)...) }

// flipText describes what happened to the acts whose answer changes.
func flipText(f lab.Flips) string {
	words := listText(append(countsOf(f.Outcomes), acts{f.NotDone, "not done"})...)
	if f.Overridden > 0 { // overridden acts are also counted by outcome
		words += fmt.Sprintf("; of these, %d overridden", f.Overridden)
	}
	return words
}

const defaultWindow = "30d"

// windows are the choices of the filter, and their names.
var windows = [][2]string{{"7d", "last 7 days"}, {"30d", "last 30 days"}, {"90d", "last 90 days"}, {"", "all time"}}

// tuned is the data of the tuning page.
type tuned struct {
	Answer lab.Tuned
	Name   string
}

// PageTitle returns the name of the threshold.
func (t tuned) PageTitle() string { return "Other values of " + t.Name }

var tuningFilters = &List{Operation: "tune_threshold", Filters: "date_after agent_id project category",
	Since: defaultWindow}

func showTuning(v *Visit) (any, error) {
	name := v.Query("name")
	if name == "" {
		return nil, apperr.New(apperr.Validation, "No threshold selected").
			WithHint("Choose one from the list of thresholds")
	}
	q, _ := tuningFilters.argumentsOf(v)
	q["name"] = name
	answer, err := Call[lab.Tuned](v, "tune_threshold", q)
	return tuned{answer, name}, err
}

// replayed is the data of the replay page.
type replayed struct {
	Filter            lab.Filter
	Windows           [][2]string
	Answer            *lab.Replay
	Proposal          string   // id of the replayed proposal
	Propose           string   // page that proposes the change, with the window and the project
	Rules, Thresholds []string // names to choose from
}

// namesListed is the maximum number of names that the form suggests. People may type any name.
const namesListed = 200

func showReplay(v *Visit) (any, error) {
	out := replayed{Filter: labFilter(v), Windows: windows}
	list, err := v.ruleNames()
	if err != nil {
		return nil, err
	}
	out.Rules, out.Thresholds = list[0], list[1]
	out.Propose = "/proposals?view=new&" + url.Values{"threshold": {v.Query("threshold")}, "value": {v.Query("value")},
		"rule": {v.Query("rule")}, "mode": {v.Query("mode")},
		"date_after": {out.Filter.DateAfter}, "project": {out.Filter.Project}}.Encode()
	wanted, err := v.proposedChange()
	if err != nil {
		return out, err
	}
	q := lab.Request{Change: wanted, Filter: out.Filter, SkipCypher: v.Query("skip_cypher") == "true"}
	if out.Proposal = v.Query("proposal"); out.Proposal == "" && q.Mode == nil && q.Set == nil && v.Query("run") == "" {
		return out, nil
	}
	answer, err := Call[lab.Replay](v, "replay_policies", proposalReplay{Request: q, ProposalID: out.Proposal})
	out.Answer = &answer
	return out, err
}

// ruleNames returns the names of the rules and of the thresholds with numbers or texts, as far as the form suggests
// them.
func (v *Visit) ruleNames() (names [2][]string, err error) {
	rules, err := callIfMay[live.PolicyList](v, "list_policies",
		live.PolicyFilter{Page: policies.Page{Limit: namesListed}})
	if err != nil {
		return names, err
	}
	for _, row := range rules.Policies {
		names[0] = append(names[0], shownValue(row.Name))
	}
	thresholds, err := callIfMay[live.ThresholdList](v, "list_thresholds",
		live.ThresholdFilter{Page: policies.Page{Limit: namesListed}})
	for _, row := range thresholds.Thresholds {
		names[1] = append(names[1], shownValue(row.Name))
	}
	for i := range names {
		slices.Sort(names[i])
		names[i] = slices.Compact(names[i])
	}
	return names, err
}

// valueOf parses a text as a value of a threshold.
func (v *Visit) valueOf(threshold, text string) (any, error) {
	node, err := v.node(thresholdKind, threshold, "", "")
	if err != nil {
		return nil, err
	}
	value, err := valueLike(node.Properties["value"], text)
	if problem := policies.OtherType(threshold, node.Properties["value"], value.Any()); err == nil && problem != "" {
		err = apperr.New(apperr.Validation, problem).WithHint("Enter a value of the same type")
	}
	return value.Any(), err
}

// previewTime is the timeout of a replay that a page shows before a change. The page of replays has no such limit.
var previewTime = 3 * time.Second

// preview replays a threshold's new value over the last 30 days, like shortReplay.
func (v *Visit) preview(threshold string, value any) *lab.Replay {
	return v.shortReplay(lab.Request{Change: lab.Change{Set: graph.Parameters{threshold: value}},
		Filter: lab.Filter{Range: timeparse.Range{DateAfter: "30d"}}})
}

// shortReplay replays a change within previewTime. It returns nil if the replay fails or takes longer, because a
// preview must not prevent a change.
func (v *Visit) shortReplay(q any) *lab.Replay {
	ctx, cancel := context.WithTimeout(v.Context(), previewTime)
	defer cancel()
	short := *v
	short.Request = v.WithContext(ctx)
	answer, err := callIfMay[lab.Replay](&short, "replay_policies", q)
	if err != nil || answer.Acts == 0 {
		return nil
	}
	return &answer
}
