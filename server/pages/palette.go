package pages

import (
	"cmp"
	"slices"
	"strings"

	"nomograph/internal/lists"
)

// offer is a suggestion of the palette, which opens with "/" and Ctrl+K on every page.
type offer struct{ Kind, Title, To string }

const maxOfferedDecisions = 5

// action is something that the palette offers to do to nodes of a kind. Its verb begins what a person types.
type action struct {
	verb, kind, operation string
	title                 string // continued by the name of a node
	general, generalTo    string // the action without a node
	to                    func(hit) string
}

var actions = []action{
	{"change", thresholdKind, "set_threshold", "Change threshold ", "Change a threshold", "/policies?view=thresholds",
		func(n hit) string { return n.Link + "#change" }},
	{"propose", thresholdKind, "propose_change", "Propose another value of ", "Propose a change", "/proposals?view=new",
		func(n hit) string { return link("/proposals?view=new", "threshold", n.ID) }},
	{"propose", policyKind, "propose_change", "Propose another mode of ", "", "",
		func(n hit) string { return link("/proposals?view=new", "rule", n.ID) }},
	{"review", decisionKind, "review_outcome", "Review ", "Review decisions", "/decisions?status=pending",
		func(n hit) string { return n.Link + "#review" }},
}

// suggest returns the suggestions for a text as options of a listbox: pages, actions, rules, agents and decisions.
func suggest(v *Visit) (Answer, error) {
	asked := v.asked()
	verb, rest := verbOf(asked)
	var offers []offer
	for _, a := range actions {
		if a.general != "" && v.May(a.operation) && (asked == "" || verb == a.verb && rest == "") {
			offers = append(offers, offer{"action", a.general, a.generalTo})
		}
	}
	offers = append(offers, v.offeredPages(strings.ToLower(asked))...)
	if rest != "" {
		found, err := v.findNodes(rest)
		if err != nil {
			return Answer{}, err
		}
		named := lists.Filter(found, func(n hit) bool { return n.Kind != decisionKind })
		byMeaning := lists.Filter(found, func(n hit) bool { return n.Kind == decisionKind })
		found = append(named, byMeaning[:min(len(byMeaning), maxOfferedDecisions)]...)
		offers = append(offers, v.offeredActions(verb, found)...)
		if verb == "" || len(offers) == 0 {
			for _, n := range found {
				offers = append(offers, offer{n.Kind, n.Title.String(), n.Link})
			}
		}
	}
	if asked != "" {
		offers = append(offers, offer{"search", "Search everything for “" + asked + "”", link("/search", "q", asked)})
	}
	return v.Fragment("offers", offers)
}

// verbOf splits a text into the verb of an action, "" for none, and the name or words to look for.
func verbOf(asked string) (verb, rest string) {
	words := strings.Fields(asked)
	if len(words) == 0 || len(words[0]) < 3 {
		return "", asked
	}
	at := slices.IndexFunc(actions, func(a action) bool { return strings.HasPrefix(a.verb, strings.ToLower(words[0])) })
	if at < 0 {
		return "", asked
	}
	words = words[1:]
	for len(words) > 0 && slices.Contains([]string{"a", "the", "of", "threshold", "policy", "rule", "decision"},
		strings.ToLower(words[0])) {
		words = words[1:]
	}
	return actions[at].verb, strings.Join(words, " ")
}

// offeredPages returns the pages that the caller may see and whose title has every word of a text; without a text,
// those of the navigation.
func (v *Visit) offeredPages(asked string) (offers []offer) {
	for _, page := range v.server.pages {
		if page.Use == "" || page.Needs != "" && !v.May(page.Needs) || asked == "" && !page.Nav ||
			slices.ContainsFunc(strings.Fields(asked), func(word string) bool {
				return !strings.Contains(strings.ToLower(page.Title), word)
			}) {
			continue
		}
		offers = append(offers, offer{"page", page.Title, page.Path})
	}
	return offers
}

// offeredActions returns the actions of a verb on nodes that were found; without a verb, the change of the first
// threshold.
func (v *Visit) offeredActions(verb string, found []hit) (offers []offer) {
	for _, a := range actions {
		for _, n := range found {
			if n.Kind != a.kind || !v.May(a.operation) || cmp.Or(verb, "change") != a.verb {
				continue
			}
			offers = append(offers, offer{"action", a.title + n.Title.String(), a.to(n)})
			if verb == "" {
				break
			}
		}
	}
	return offers
}
