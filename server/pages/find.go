package pages

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"nomograph/decisions/precedents"
	"nomograph/internal/pattern"
	"nomograph/search"
	"nomograph/trace"
)

const (
	foundDecisions = 8
	foundOthers    = 5 // limit for each other kind
)

// wholeID matches ids of verdicts and sessions.
var wholeID = pattern.New(`^[0-9a-f-]{8,40}$`)

// findNodes searches like the search page, and also patterns by name, and verdicts and sessions by id. KIND:NAME
// searches one kind. Exact matches come first.
func (v *Visit) findNodes(find string) ([]hit, error) {
	kinds := slices.DeleteFunc(kindsFound(), func(k kindOf) bool {
		return !slices.Contains([]string{"decision", policyKind, thresholdKind, "verdict", "agent"}, k.Name)
	})
	kinds = append(kinds, kindOf{Name: "pattern", find: findPatternHits},
		kindOf{Name: "session", find: findSessionHits})
	kind, name, named := strings.Cut(find, ":")
	if !named || !slices.ContainsFunc(kinds, func(k kindOf) bool { return k.Name == kind }) {
		kind, name = "", find
	}
	of := *v // with the text, and without the filters of the page
	of.query = url.Values{"q": {name}}
	hits, reads := make([][]hit, len(kinds)), []func() error{}
	for i, k := range kinds {
		if kind != "" && kind != k.Name || k.Name == "verdict" && !wholeID.MatchString(name) {
			continue
		}
		reads = append(reads, func() (err error) {
			if hits[i], _, err = k.find(&of, search.SubjectOf(name), foundDecisions); err != nil && expected(err) {
				return nil
			}
			return err
		})
	}
	if err := concurrently(reads...); err != nil {
		return nil, err
	}
	var found []hit
	for i := range hits {
		found = append(found, hits[i][:min(len(hits[i]),
			map[bool]int{true: foundDecisions, false: foundOthers}[i == 0])]...)
	}
	exact := func(h hit) int {
		if strings.EqualFold(h.Title.String(), name) || strings.EqualFold(h.ID, name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b hit) int { return cmp.Compare(exact(a), exact(b)) })
	return found, nil
}

func findPatternHits(v *Visit, _ search.Subject, _ int) ([]hit, []string, error) {
	list, err := callIfMay[precedents.List](v, "list_decisions", precedents.ListQuery{Pattern: v.asked(), Limit: 1})
	if err != nil || len(list.Decisions) == 0 {
		return nil, nil, err
	}
	name := list.Decisions[0].Pattern
	return []hit{{Kind: "pattern", ID: name, Title: pieces{{Text: name}}, Link: link("/decisions", "pattern", name)}},
		nil, nil
}

func findSessionHits(v *Visit, _ search.Subject, _ int) ([]hit, []string, error) {
	if !wholeID.MatchString(v.asked()) {
		return nil, nil, nil
	}
	s, err := callIfMay[trace.SessionEvents](v, "get_session", trace.SessionQuery{SessionID: v.asked(), Limit: 1})
	if err != nil || s.Session.UID == "" {
		return nil, nil, err
	}
	return []hit{{Kind: "session", ID: s.Session.UID, Title: pieces{{Text: "Session of " +
		cmp.Or(s.Session.AgentID, "an unknown agent")}},
		Link: link("/session", "id", s.Session.UID)}}, nil, nil
}
