package precedents

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
)

// chosen makes the list of what the narrowest condition leaves, where that is little enough to be put in order here; else it
// says how many there are at least.
func (s *Store) chosen(ctx context.Context, o order, c conditions) (bool, List, error) {
	read, err := graph.One[struct {
		Fewest int
		Found  []struct {
			UID string
			At  time.Time
			By  any
		}
	}](ctx, s.graph, cypher.DecisionsChosen, graph.Params{"filter": c.filter, "from": c.from, "to": c.to, "by": o.by, "most": MostChosen, "retracted": c.retracted})
	if err != nil {
		return false, List{}, err
	}
	if read.Fewest == 0 && read.Found == nil { // no condition that an index answers
		return false, List{}, nil
	}
	if read.Fewest >= MostChosen {
		list := List{}
		if len(c.filter) == 1 {
			list.TotalAtLeast = MostChosen
		}
		return false, list, nil
	}
	places := make([]place, 0, len(read.Found))
	for _, f := range read.Found {
		if p, known := o.placeOf(f.UID, f.At, f.By); known {
			places = append(places, p)
		}
	}
	total := len(places)
	list := List{Total: &total}
	slices.SortFunc(places, o.compare)
	if o.at.UID != "" {
		after := slices.IndexFunc(places, func(p place) bool { return o.compare(p, o.at) > 0 })
		if after < 0 {
			after = total
		}
		places = places[after:]
	}
	if len(places) > o.limit {
		places = places[:o.limit]
		list.NextCursor = places[o.limit-1].String()
	}
	uids := make([]string, len(places))
	for i, p := range places {
		uids[i] = p.UID
	}
	rows, err := graph.All[row](ctx, s.graph, cypher.DecisionsByUID, graph.Params{"uids": uids})
	list.Decisions = summaries(rows)
	return true, list, err
}

type row struct{ Decision map[string]any }

func summaries(rows []row) []decisions.Summary {
	list := make([]decisions.Summary, len(rows))
	for i := range rows {
		list[i] = decisions.SummaryOf(rows[i].Decision)
	}
	return list
}

// place says where a row of a walk stands.
func (r row) place(o order) place {
	uid, _ := r.Decision["uid"].(string)
	created, _ := r.Decision["created_at"].(time.Time)
	p, _ := o.placeOf(uid, created, r.Decision[o.by]) // it came from the index of that property
	p.Walking = true
	return p
}

// walked fills the list along an index that has the order asked for; where that is an order of groups, along one after the other.
func (s *Store) walked(ctx context.Context, o order, c conditions, list List) (List, error) {
	var rows []row
	for _, group := range o.groupsLeft(c) {
		params := o.lead(c, group)
		params["limit"], params["skip"], params["budget"] = o.limit+1-len(rows), 0, MostLookedAt
		found, err := graph.All[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return List{}, err
		}
		rows = append(rows, found...)
		if len(rows) > o.limit {
			list.NextCursor = rows[o.limit-1].place(o).String()
			rows = rows[:o.limit]
			break
		}
		params["limit"], params["skip"], params["budget"], params["filter"], params["retracted"] = 1, MostLookedAt-1, 1, map[string]any{}, true
		last, err := graph.One[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return List{}, err
		}
		if last.Decision != nil { // it did not come to the end
			list.NextCursor = last.place(o).String()
			list.Notes = []string{fmt.Sprintf("%d decisions were looked at, and there are more: next_cursor goes on", MostLookedAt)}
			break
		}
		o.at = place{} // the next group from its beginning
	}
	list.Decisions = summaries(rows)
	return list, nil
}

// statement is the one that walks in the order asked for. Within a group, the newest come first.
func (o order) statement() cypher.Statement {
	if o.rising && o.groups == nil {
		return cypher.DecisionsRising
	}
	return cypher.DecisionsFalling
}

// groupsLeft are the groups from the page's beginning on that the conditions let through; one without a name where the order
// has no groups.
func (o order) groupsLeft(c conditions) []string {
	if o.groups == nil {
		return []string{""}
	}
	left := o.groups[max(0, slices.Index(o.groups, o.at.Group)):]
	return slices.DeleteFunc(slices.Clone(left), func(group string) bool {
		switch wanted := c.filter[o.by].(type) {
		case string:
			return group != wanted
		case []string:
			return !slices.Contains(wanted, group)
		}
		return false
	})
}

// leads are the conditions by which an index can be walked in the order of time, the presumably narrowest first.
var leads = []string{"pr", "feature", "project", "outcome", "agent", "stakes", "category", "status"}

// lead gives the parameters of a walk: which index, from where to where, and what is checked on the way.
func (o order) lead(c conditions, group string) graph.Params {
	from, to, lead := c.from, c.to, map[string]any{}
	var at any = graph.UTC(o.at.Time)
	switch {
	case group != "":
		lead[o.by] = group
	case o.by == "review_by":
		from, to = graph.UTC(Earliest), graph.UTC(latest)
	case o.by == "confidence":
		from, to, at = cmp.Or(c.filter["min_confidence"], any(0.0)), cmp.Or(c.filter["max_confidence"], any(1.0)), o.at.Number
	default:
		for _, name := range leads {
			if wanted, single := singleValue(c.filter[name]); single {
				lead[name] = wanted
				break
			}
		}
	}
	switch {
	case o.at.UID == "":
		at = nil
	case o.statement() == cypher.DecisionsRising:
		from = at
	default:
		to = at
	}
	if len(lead) == 0 {
		lead[o.by] = map[string]any{"from": from, "to": to}
	}
	return graph.Params{"lead": lead, "from": from, "to": to, "at": at, "uid": o.at.UID, "filter": c.filter, "retracted": c.retracted}
}

// singleValue gives the value of a condition that names one.
func singleValue(condition any) (any, bool) {
	if list, is := condition.([]string); is {
		if len(list) == 1 {
			return list[0], true
		}
		return nil, false
	}
	return condition, condition != nil
}
