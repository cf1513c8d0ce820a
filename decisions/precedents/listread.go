package precedents

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/caller"
)

// counted reads an index with filter and order, and counts in parallel.
func (s *Store) counted(ctx context.Context, o order, c conditions) (List, error) {
	if caller.From(ctx).Limited() { // the index also counts what the caller may not see
		p, err := s.walked(ctx, o, c)
		return p.onto(List{}, true), err
	}
	all := o
	all.at = place{} // from the start, not from this page
	params := all.lead(c, "")
	params["most"] = MaxChosen
	var left struct{ Total, Retracted int64 }
	var uncounted error
	var counting sync.WaitGroup
	counting.Go(func() {
		left, uncounted = graph.One[struct{ Total, Retracted int64 }](ctx, s.graph, cypher.DecisionsLeft, params)
	})
	p, err := s.walked(ctx, o, c)
	counting.Wait()
	if err != nil || uncounted != nil {
		return List{}, cmp.Or(err, uncounted)
	}
	list := List{}
	if left.Total >= int64(MaxChosen) {
		return p.onto(c.atLeast(list), true), nil
	}
	if !c.retracted {
		left.Total -= left.Retracted
	}
	list.Total = new(int(left.Total))
	return p.onto(list, false), nil
}

// atLeast sets the minimum if the only filter matches more than are counted.
func (c conditions) atLeast(list List) List {
	if tags, _ := c.filter["tags"].([]string); len(c.filter) == 1 && len(tags) < 2 { // each of several tags may be frequent without a common decision
		list.TotalAtLeast = MaxChosen
	}
	return list
}

// chosen lists the matches of the most selective filter, if they are few enough to be sorted here; otherwise it returns
// their minimum number.
func (s *Store) chosen(ctx context.Context, o order, c conditions) (bool, List, error) {
	read, err := graph.All[struct {
		Fewest int64
		Found  []any // {uid, at, by}
	}](ctx, s.graph, cypher.DecisionsChosen, graph.Params{"filter": c.filter, "from": c.from, "to": c.to, "by": o.by, "most": MaxChosen, "retracted": c.retracted})
	if err != nil || len(read) == 0 { // no filter with an index
		return false, List{}, err
	}
	if read[0].Fewest >= int64(MaxChosen) {
		if caller.From(ctx).Limited() {
			return false, List{}, nil
		}
		return false, c.atLeast(List{}), nil
	}
	places := make([]place, 0, len(read[0].Found))
	for _, item := range read[0].Found {
		found, _ := item.(map[string]any) // the statement gives maps
		if p, known := o.placeOf(graph.Text(found, "uid"), graph.Time(found, "at"), found["by"]); known {
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
		if due, ok := rows[i].Decision["review_by"].(time.Time); ok {
			due = due.UTC()
			list[i].ReviewBy = &due
		}
	}
	return list
}

// place returns the position of a row.
func (r row) place(o order) place {
	uid, _ := r.Decision["uid"].(string)
	created, _ := r.Decision["created_at"].(time.Time)
	p, _ := o.placeOf(uid, created, r.Decision[o.by]) // it comes from the index of that property
	return p
}

// page is the result of a scan.
type page struct {
	rows []row
	next place // start of the next page; none after the last
	note string
}

// onto appends a page to its list. If it is walking, the next page walks, too, and counts nothing.
func (p page) onto(list List, walking bool) List {
	list.Decisions = summaries(p.rows)
	if p.next.UID != "" {
		p.next.Walking = walking
		list.NextCursor = p.next.String()
	}
	if p.note != "" {
		list.Notes = []string{p.note}
	}
	return list
}

// walked scans an index in the requested order; for an order of groups, group by group.
func (s *Store) walked(ctx context.Context, o order, c conditions) (page, error) {
	var p page
	for _, group := range o.groupsLeft(c) {
		params := o.lead(c, group)
		params["limit"], params["skip"], params["budget"] = o.limit+1-len(p.rows), 0, MaxLookedAt
		found, err := graph.All[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return page{}, err
		}
		p.rows = append(p.rows, found...)
		if len(p.rows) > o.limit {
			p.next, p.rows = p.rows[o.limit-1].place(o), p.rows[:o.limit]
			return p, nil
		}
		params["limit"], params["skip"], params["budget"], params["filter"], params["retracted"] = 1, MaxLookedAt-1, 1, map[string]any{}, true
		last, err := graph.One[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return page{}, err
		}
		if last.Decision != nil { // the scan did not reach the end
			p.next = last.place(o)
			p.note = fmt.Sprintf("%d decisions were looked at, and there are more: next_cursor goes on", MaxLookedAt)
			return p, nil
		}
		o.at = place{} // the next group from its start
	}
	return p, nil
}

// statement returns the statement for the order. Within a group, the newest are first.
func (o order) statement() cypher.Statement {
	if o.rising && o.groups == nil {
		return cypher.DecisionsRising
	}
	return cypher.DecisionsFalling
}

// groupsLeft returns the groups from the start of the page that the filters allow; an unnamed one if the order has no
// groups.
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

// leads are the filters with an index in time order, the presumably most selective first.
var leads = []string{"pr", "feature", "project", "outcome", "agent", "stakes", "category", "status"}

// lead returns the parameters of a scan: the index, the range, and the remaining filters.
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
	case o.statement().Name == cypher.DecisionsRising.Name:
		from = at
	default:
		to = at
	}
	span := map[string]any{"from": from, "to": to}
	project, within := c.filter["project"]
	switch {
	case len(lead) > 0:
	case within && o.by == "confidence":
		span["project"], lead["project_confidence"] = project, span
	default:
		lead[o.by] = span
	}
	filter := c.filter
	if o.along(c) { // every entry of the index matches
		filter = map[string]any{}
	}
	return graph.Params{"lead": lead, "from": from, "to": to, "at": at, "uid": o.at.UID, "filter": filter, "retracted": c.retracted}
}

// along reports whether the scanned index contains only matches.
func (o order) along(c conditions) bool {
	left := maps.Clone(c.filter)
	switch o.by {
	case "created_at":
		delete(left, "after")
		delete(left, "before")
		for _, name := range leads {
			if _, single := singleValue(left[name]); single {
				delete(left, name)
				break
			}
		}
	case "confidence":
		delete(left, "project")
		delete(left, "min_confidence")
		delete(left, "max_confidence")
	}
	return len(left) == 0
}

// singleValue returns the value of a filter with one value.
func singleValue(condition any) (any, bool) {
	if list, ok := condition.([]string); ok {
		if len(list) == 1 {
			return list[0], true
		}
		return nil, false
	}
	return condition, condition != nil
}
