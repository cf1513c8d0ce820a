package pages

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/internal/pattern"
	"nomograph/policies/check"
	"nomograph/policies/live"
	"nomograph/search"
	"nomograph/trace"
)

// foundNode is a search result of the graph page, of any kind.
type foundNode struct {
	ID      string // id on the graph page: a decision's id, otherwise KIND:NAME
	Kind    string // "" is a decision
	Title   string
	Outcome string // decisions only
	Whole   string // URL of its own page
}

// Centers reports whether the node can be the center of the graph.
func (n foundNode) Centers() bool {
	return n.Kind == "" || n.Kind == policyKind || n.Kind == thresholdKind
}

const (
	foundDecisions = 8
	foundRules     = 5 // limit for policies and for thresholds
)

// wholeID matches ids of verdicts and sessions.
var wholeID = pattern.New(`^[0-9a-f-]{8,40}$`)

// findNodes searches decisions by words and meaning, policies and thresholds by name and text, agents and patterns by
// name, and verdicts and sessions by id. Exact matches come first.
func (v *Visit) findNodes(find string) ([]foundNode, error) {
	kind, name, named := strings.Cut(find, ":")
	if !named || !slices.Contains([]string{policyKind, thresholdKind, "agent", "pattern", "verdict", "session"}, kind) {
		kind, name = "", find
	}
	searches := []struct {
		kind string
		of   func(string) ([]foundNode, error)
	}{{"", v.findDecisions}, {policyKind, v.findPolicies}, {thresholdKind, v.findThresholds}, {"agent", v.findAgents},
		{"pattern", v.findPatterns}, {"verdict", v.findVerdicts}, {"session", v.findSessions}}
	rows, reads := make([][]foundNode, len(searches)), []func() error{}
	for i, one := range searches {
		if kind != "" && kind != one.kind {
			continue
		}
		reads = append(reads, func() (err error) {
			if rows[i], err = one.of(name); err != nil && expected(err) {
				return nil
			}
			return err
		})
	}
	if err := concurrently(reads...); err != nil {
		return nil, err
	}
	found := slices.Concat(rows...)
	exact := func(n foundNode) int {
		if strings.EqualFold(n.Title, name) || strings.EqualFold(n.ID, name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b foundNode) int { return cmp.Compare(exact(a), exact(b)) })
	return found, nil
}

func (v *Visit) findDecisions(find string) ([]foundNode, error) {
	if !strings.ContainsAny(find, " \t") {
		details, err := callIfMay[decisions.Details](v, "get_decision", decisions.GetQuery{ID: find})
		if err == nil && details.Found {
			d := panelOfDecision(details.Decision)
			return []foundNode{{ID: d.ID, Title: d.Title, Outcome: d.Outcome, Whole: d.Whole}}, nil
		}
	}
	matches, err := callIfMay[precedents.Matches](v, "query_decisions",
		precedents.Query{Query: find, Limit: foundDecisions, NoLinks: true})
	var found []foundNode
	for _, match := range matches.Decisions {
		found = append(found, foundNode{ID: match.ID, Title: plain(match.Title), Outcome: match.Outcome,
			Whole: "/decisions/" + match.ID})
	}
	return found, err
}

func (v *Visit) findPolicies(find string) ([]foundNode, error) {
	return findRules(policyKind, find, func(text string) (names []string, err error) {
		list, err := callIfMay[live.PolicyList](v, "list_policies", live.PolicyFilter{Text: text})
		for _, row := range list.Policies {
			names = append(names, shownValue(row.Name))
		}
		return names, err
	})
}

func (v *Visit) findThresholds(find string) ([]foundNode, error) {
	return findRules(thresholdKind, find, func(text string) (names []string, err error) {
		list, err := callIfMay[live.ThresholdList](v, "list_thresholds", live.ThresholdFilter{Text: text})
		for _, row := range list.Thresholds {
			names = append(names, shownValue(row.Name))
		}
		return names, err
	})
}

// findRules searches for the whole text. If nothing matches, it returns the names that contain every word.
func findRules(kind, find string, listed func(text string) ([]string, error)) ([]foundNode, error) {
	words := strings.Fields(strings.ToLower(find))
	if len(words) == 0 || len(find) > 200 {
		return nil, nil
	}
	names, err := listed(find)
	if err == nil && len(names) == 0 && len(words) > 1 {
		longest := slices.MaxFunc(words, func(a, b string) int { return len(a) - len(b) })
		names, err = listed(longest)
		names = slices.DeleteFunc(names, func(name string) bool {
			return slices.ContainsFunc(words, func(word string) bool {
				return !strings.Contains(strings.ToLower(name), word)
			})
		})
	}
	slices.SortStableFunc(names, func(a, b string) int { // names that match come before texts that match
		called := func(name string) int {
			if strings.Contains(strings.ToLower(name), words[0]) {
				return 0
			}
			return 1
		}
		return cmp.Compare(called(a), called(b))
	})
	names = slices.Compact(names)
	var found []foundNode
	for _, name := range names[:min(len(names), foundRules)] {
		found = append(found, foundNode{ID: kind + ":" + name, Kind: kind, Title: name,
			Whole: link("/"+kind, "name", name)})
	}
	return found, err
}

func (v *Visit) findAgents(find string) (found []foundNode, err error) {
	names, err := v.named("agent", find, search.Subject{})
	for _, name := range names[:min(len(names), foundRules)] {
		found = append(found, foundNode{ID: "agent:" + name, Kind: "agent", Title: name,
			Whole: link("/agent", "name", name)})
	}
	return found, err
}

func (v *Visit) findPatterns(find string) ([]foundNode, error) {
	list, err := callIfMay[precedents.List](v, "list_decisions", precedents.ListQuery{Pattern: find, Limit: 1})
	if err != nil || len(list.Decisions) == 0 {
		return nil, err
	}
	name := list.Decisions[0].Pattern
	return []foundNode{{ID: "pattern:" + name, Kind: "pattern", Title: name,
		Whole: link("/decisions", "pattern", name)}}, nil
}

func (v *Visit) findVerdicts(find string) ([]foundNode, error) {
	if !wholeID.MatchString(find) {
		return nil, nil
	}
	e, err := callIfMay[check.Explanation](v, "explain_verdict", check.VerdictQuery{ID: find})
	if err != nil || e.VerdictID == "" {
		return nil, err
	}
	return []foundNode{{ID: "verdict:" + e.VerdictID, Kind: "verdict", Title: e.Answer() + ", requested by " +
		cmp.Or(e.AgentID, "an unknown agent"), Whole: "/verdicts/" + e.VerdictID}}, nil
}

func (v *Visit) findSessions(find string) ([]foundNode, error) {
	if !wholeID.MatchString(find) {
		return nil, nil
	}
	s, err := callIfMay[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: find, Limit: 1})
	if err != nil || s.Session.UID == "" {
		return nil, err
	}
	return []foundNode{{ID: "session:" + s.Session.UID, Kind: "session", Title: "Session of " +
		cmp.Or(s.Session.AgentID, "an unknown agent"), Whole: link("/session", "id", s.Session.UID)}}, nil
}
