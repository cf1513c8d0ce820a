package events

import (
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// Filter selects events. All conditions must hold; an event without the field of a condition does not match.
type Filter struct {
	Types    []string `json:"type,omitempty" jsonschema:"filter by type: threshold.changed, or threshold for all threshold events"`
	Name     string   `json:"name,omitempty" jsonschema:"filter by name of the policy, threshold, table, atlas, context, action or breaker scope, or id of the proposal" rule:"maxLength=200"`
	Rule     string   `json:"rule,omitempty" jsonschema:"filter verdicts by violated rule" rule:"maxLength=200"`
	Allowed  *bool    `json:"allowed,omitempty" jsonschema:"filter verdicts by result"`
	Project  string   `json:"project,omitempty" jsonschema:"filter verdicts and decisions by project" rule:"maxLength=200"`
	AgentID  string   `json:"agent_id,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	Category string   `json:"category,omitempty" jsonschema:"filter verdicts and decisions by category" rule:"maxLength=200"`
	Stakes   []string `json:"stakes,omitempty" jsonschema:"filter verdicts and decisions by stakes: low, medium, high, critical"`
	Session  string   `json:"session_id,omitempty" jsonschema:"filter by session id or uid" rule:"maxLength=200"`
	Outcome  string   `json:"outcome,omitempty" jsonschema:"filter reviews by outcome" rule:"maxLength=200"`
}

// ChosenTypes returns the types that a filter names, or, without types, all except the frequent ones, which are
// included if it names a session. It returns a validation_error for an unknown type.
func (f Filter) ChosenTypes() ([]Type, error) {
	if len(f.Types) == 0 {
		return slices.DeleteFunc(slices.Clone(Types()), func(t Type) bool { return t.Asked && f.Session == "" }), nil
	}
	var chosen []Type
	for _, asked := range f.Types {
		found, names := false, []string{}
		for _, t := range Types() {
			names = append(names, t.Name)
			if group, _, _ := strings.Cut(t.Name, "."); asked != t.Name && asked != group {
				continue
			}
			found = true
			if !slices.Contains(chosen, t) {
				chosen = append(chosen, t)
			}
		}
		if !found {
			return nil, apperr.Newf(apperr.Validation, "Unknown event type %q", asked).
				WithHint("Use %s", strings.Join(names, ", "))
		}
	}
	return chosen, nil
}

// violates reports whether the event is about a violation of a rule.
func (e *Event) violates(rule string) bool {
	return e.Verdict != nil && slices.Contains(e.Verdict.Rules, any(rule)) || e.Appeal != nil &&
		slices.Contains(e.Appeal.Rules, rule)
}

// passes reports whether an event of a selected type matches.
func (f Filter) passes(e *Event) bool {
	named := func() bool {
		switch {
		case e.Change != nil:
			return e.Change.Name == f.Name
		case e.Reset != nil:
			return e.Reset.Scope == f.Name
		case e.Approval != nil:
			return e.Approval.Action == f.Name
		case e.Proposal != nil:
			return e.Proposal.ProposalID == f.Name
		}
		return false
	}
	same := func(asked, has string) bool { return asked == "" || caller.Key(asked) == caller.Key(has) }
	switch {
	case f.Name != "" && !named():
	case f.Rule != "" && !e.violates(f.Rule):
	case f.Allowed != nil && (e.Verdict == nil || e.Verdict.Allowed != *f.Allowed):
	case f.Session != "" && f.Session != e.session && f.Session != e.sessionUID &&
		(e.Session == nil || f.Session != e.Session.SessionUID):
	case f.Outcome != "" && (e.Review == nil || e.Review.Outcome != f.Outcome):
	case !same(f.Project, e.project), !same(f.AgentID, e.by), !same(f.Category, e.category):
	case len(f.Stakes) > 0 && !slices.Contains(f.Stakes, e.stakes):
	default:
		return true
	}
	return false
}
