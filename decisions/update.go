package decisions

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/trace"
)

// Update replaces the given fields; absent fields stay. An empty list removes all items.
type Update struct {
	ID            string   `json:"id" jsonschema:"decision id or its first 4 characters" rule:"minLength=1,maxLength=200"`
	Decision      string   `json:"decision,omitempty" jsonschema:"the new text" rule:"minLength=1,maxLength=20000"`
	Confidence    *float64 `json:"confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Context       string   `json:"context,omitempty" jsonschema:"situation" rule:"minLength=1,maxLength=100000"`
	Tags          []string `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
	Pattern       string   `json:"pattern,omitempty" jsonschema:"abstract pattern" rule:"minLength=1,maxLength=2000"`
	Reasons       []Reason `json:"reasons,omitempty" jsonschema:"complete list of reasons" rule:"maxItems=50"`
	Bridge        *Bridge  `json:"bridge,omitempty" jsonschema:"structure and function"`
	Project       string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"minLength=1,maxLength=200"`
	Feature       string   `json:"feature,omitempty" jsonschema:"feature or epic" rule:"minLength=1,maxLength=200"`
	PR            int64    `json:"pr,omitempty" jsonschema:"pull request" rule:"minimum=1"`
	ReviewIn      string   `json:"review_in,omitempty" jsonschema:"7d, 2w or 1m (30 days)" rule:"maxLength=10"`
	Visibility    string   `json:"visibility,omitempty" jsonschema:"who can read it" rule:"enum=private|project|shared"`
	SharedWith    []string `json:"shared_with,omitempty" jsonschema:"agents that get a summary" rule:"maxItems=50"`
	MentalState   string   `json:"mental_state,omitempty" jsonschema:"state of mind" rule:"enum=deliberate|reactive|exploratory|habitual|pressured"`
	KPIIndicators []string `json:"kpi_indicators,omitempty" jsonschema:"affected KPIs" rule:"maxItems=50"`
	Why           string   `json:"change_reason,omitempty" jsonschema:"reason for the history" rule:"maxLength=2000"`
	Revision      *int64   `json:"revision,omitempty" jsonschema:"revision you read; a later one is a conflict" rule:"minimum=0"`
	AgentID       string   `json:"agent_id,omitempty" jsonschema:"updating agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	Session
}

// Updated is the answer to an update.
type Updated struct {
	Success       bool     `json:"success"`
	ID            string   `json:"id"`
	UpdatedFields []string `json:"updated_fields" jsonschema:"changed fields; empty if nothing changed"`
	Revision      int64    `json:"revision"`
	Indexed       string   `json:"indexed" jsonschema:"pending (the new text is searchable within a second)"`
}

// Update changes a decision. The previous content is stored in a Revision with who, when and why, and is indexed again.
// Rules are not evaluated, because they were for the recording. It returns not_found, a validation_error, and a
// conflict if the decision has a newer revision than the caller saw; then nothing is written.
func (s *Store) Update(ctx context.Context, u Update) (Updated, error) {
	days, err := daysOf(u.ReviewIn)
	if err != nil {
		return Updated{}, err
	}
	if u.Decision != "" && strings.TrimSpace(u.Decision) == "" {
		return Updated{}, apperr.New(apperr.Validation, "`decision` is empty").WithHint("Leave it out to keep the text")
	}
	u.mask()
	if err := checkItems(append(slices.Clone(u.Tags), u.SharedWith...), u.KPIIndicators, u.Bridge); err != nil {
		return Updated{}, err
	}
	ref, err := s.Resolve(ctx, u.ID)
	if err != nil {
		return Updated{}, err
	}
	done, err := s.revise(ctx, Caller{u.AgentID, u.Session},
		revising{Ref: ref, by: trace.Actor(u.AgentID, u.By), why: u.Why,
			changes: func(now locked) (map[string]Change, error) {
				if revision, _ := now.Decision["revision"].(int64); u.Revision != nil && *u.Revision != revision {
					return nil, apperr.Newf(apperr.Conflict, "Decision '%s' is at revision %d, not %d", ref.ID,
						revision,
						*u.Revision).
						WithHint("Read it again with `get_decision` and update the current revision").
						With("revision", revision)
				}
				return now.changes(u, days), nil
			}})
	if err != nil {
		return Updated{}, err
	}
	out := Updated{Success: true, ID: ref.ID, UpdatedFields: slices.Sorted(maps.Keys(done.changes)),
		Revision: done.number, Indexed: "done"}
	if done.reindex {
		out.Indexed = "pending"
	}
	return out, nil
}

// changes returns the changed properties. All reasons count as one property, and so does the bridge.
func (l locked) changes(u Update, days *int64) map[string]Change {
	changes := map[string]Change{}
	change := func(name string, to any) {
		if from := l.Decision[name]; from != to {
			changes[name] = Change{from, to}
		}
	}
	for name, text := range map[string]string{"decision": u.Decision, "context": u.Context, "pattern": u.Pattern,
		"project": u.Project, "feature": u.Feature,
		"visibility": u.Visibility, "mental_state": u.MentalState} {
		if text != "" {
			change(name, text)
		}
	}
	if u.Confidence != nil {
		change("confidence", *u.Confidence)
	}
	if u.PR > 0 {
		change("pr", u.PR)
	}
	for name, list := range map[string][]string{"tags": u.Tags, "kpi_indicators": u.KPIIndicators,
		"shared_with": u.SharedWith} {
		if list != nil && !slices.Equal(list, graph.Texts(l.Decision[name])) {
			changes[name] = Change{l.Decision[name], graph.List(list)}
		}
	}
	if days != nil {
		change("review_by", graph.UTC(l.Now).AddDate(0, 0, int(*days)))
	}
	if u.Reasons != nil && !reflect.DeepEqual(withDefaultStrength(u.Reasons), withDefaultStrength(l.Reasons)) {
		changes["reasons"] = Change{withDefaultStrength(l.Reasons), withDefaultStrength(u.Reasons)}
	}
	if before := BridgeOf(l.Decision); u.Bridge != nil && (before == nil || !u.Bridge.equal(*before)) {
		changes["bridge"] = Change{before, u.Bridge}
	}
	return changes
}

// withDefaultStrength fills in the default strength of reasons.
func withDefaultStrength(reasons []Reason) []Reason {
	return lists.Map(reasons, func(r Reason) Reason {
		return Reason{Type: r.Type, Text: r.Text, Strength: new(r.EffectiveStrength())}
	})
}

func (b Bridge) equal(other Bridge) bool {
	return b.Structure == other.Structure && b.Function == other.Function &&
		slices.Equal(b.Tolerance, other.Tolerance) &&
		slices.Equal(b.Enforcement, other.Enforcement) && slices.Equal(b.Prevention, other.Prevention)
}
