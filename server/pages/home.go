package pages

import (
	"nomograph/decisions"
	"nomograph/decisions/precedents"
)

// home is the data of the home page.
type home struct{ Newest []decisions.Summary }

const newestShown = 12

func showHome(v *Visit) (any, error) {
	if !v.May("list_decisions") {
		return home{}, nil
	}
	list, err := Call[precedents.List](v, "list_decisions", precedents.ListQuery{Limit: newestShown})
	return home{Newest: list.Decisions}, err
}
