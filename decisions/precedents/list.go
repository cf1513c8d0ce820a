package precedents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/timeparse"
	"nomograph/search"
)

// ListQuery selects a page of decisions. Absent filters select all; all of Tags must match.
type ListQuery struct {
	Category   string   `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Stakes     []string `json:"stakes,omitempty" jsonschema:"any of low, medium, high, critical" rule:"maxItems=4"`
	Status     []string `json:"status,omitempty" jsonschema:"any of pending, reviewed" rule:"maxItems=2"`
	Project    string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID    string   `json:"agent_id,omitempty" jsonschema:"deciding agent" rule:"maxLength=200"`
	Tags       []string `json:"tags,omitempty" jsonschema:"all of these tags" rule:"maxItems=20"`
	Feature    string   `json:"feature,omitempty" jsonschema:"feature or epic" rule:"maxLength=200"`
	PR         int64    `json:"pr,omitempty" jsonschema:"pull request" rule:"minimum=1"`
	Pattern    string   `json:"pattern,omitempty" jsonschema:"exact pattern" rule:"maxLength=2000"`
	Visibility string   `json:"visibility,omitempty" rule:"enum=private|project|shared"`
	ReasonType string   `json:"reason_type,omitempty" jsonschema:"filter by reason type" rule:"enum=authority|analogy|analysis|pattern|intuition|empirical|elimination|constraint"`
	HasOutcome *bool    `json:"has_outcome,omitempty" jsonschema:"with (true) or without (false) an outcome"`
	Outcome    string   `json:"outcome,omitempty" rule:"enum=success|partial|failure|abandoned"`
	Imported   *bool    `json:"imported,omitempty" jsonschema:"imported from another source (true) or recorded here (false)"`
	Confidences
	timeparse.Range
	Retracted bool   `json:"retracted,omitempty" jsonschema:"include retracted decisions"`
	Sort      string `json:"sort,omitempty" jsonschema:"sort key; decisions without it are left out, ties are sorted newest first" rule:"enum=created_at|confidence|category|stakes|status|review_by,default=\"created_at\""`
	Order     string `json:"order,omitempty" rule:"enum=asc|desc,default=\"desc\""`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=100,default=20"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=2000"`
}

// List is a page of decisions. Total is known without filters, or if one filter matches fewer than 2000 decisions; if
// the only filter matches more, TotalAtLeast says so. An exact total would cost more in a larger graph.
type List struct {
	Decisions    []decisions.Summary `json:"decisions"`
	Total        *int                `json:"total,omitempty"`
	TotalAtLeast int                 `json:"total_at_least,omitempty"`
	NextCursor   string              `json:"next_cursor,omitempty"`
	Notes        []string            `json:"notes,omitempty"`
}

const defaultListed = 20

// MaxSorted is how many decisions are sorted in memory: if a filter matches fewer, the cost depends only on these.
var MaxSorted = 2000

// MaxScanned is how many entries of an index are read for one page if filters without an index match few.
var MaxScanned = 10_000

// List lists decisions. The cost does not depend on their number: an index with filter and order is read as far as the
// page; otherwise a selective filter is read completely, or an index is read in the requested order, at most 10,000
// decisions a page, after which the answer says how far it came. It returns a validation_error for an invalid time or
// cursor.
func (s *Store) List(ctx context.Context, q ListQuery) (List, error) {
	q.Limit = cmp.Or(q.Limit, defaultListed)
	o, err := orderOf(q)
	if err != nil {
		return List{}, err
	}
	if q.AgentID, q.Project, err = s.decisions.CanonicalNames(ctx, q.AgentID, q.Project); err != nil {
		return List{}, err
	}
	c, err := conditionsOf(q)
	if err != nil {
		return List{}, err
	}
	switch {
	case len(c.filter) == 0 || o.at.Walking || q.ReasonType != "": // no index has the types of reasons
	case o.along(c):
		return s.listByIndex(ctx, o, c)
	default:
		chosen, list, err := s.listBySorting(ctx, o, c)
		if err != nil || chosen {
			return list, err
		}
		p, err := s.listByScanning(ctx, o, c)
		return p.appendTo(list, true), err
	}
	list := List{}
	var uncounted error
	var counting sync.WaitGroup
	if len(c.filter) == 0 && o.leavesOut == "" && !caller.From(ctx).Limited() {
		counting.Go(func() {
			var all struct{ Total, Retracted int }
			if all, uncounted = graph.One[struct{ Total, Retracted int }](ctx, s.graph, cypher.DecisionsCount,
				nil); !q.Retracted {
				all.Total -= all.Retracted
			}
			list.Total = &all.Total
		})
	}
	p, err := s.listByScanning(ctx, o, c)
	if counting.Wait(); cmp.Or(uncounted, err) != nil {
		return List{}, cmp.Or(uncounted, err)
	}
	return p.appendTo(list, true), nil
}

// conditions are the filters of a list; filter holds the given ones by their names in the statements.
type conditions struct {
	filter    map[string]any
	from, to  any  // bounds of created_at
	retracted bool // include retracted decisions
}

func conditionsOf(q ListQuery) (conditions, error) {
	from, to, err := q.Times(Earliest, latest)
	if err != nil {
		return conditions{}, err
	}
	c := conditions{filter: map[string]any{}, from: graph.UTC(from), to: graph.UTC(to), retracted: q.Retracted}
	if err := errors.Join(decisions.OneOf("stakes", q.Stakes, decisions.StakesValues),
		decisions.OneOf("status", q.Status, decisions.StatusValues)); err != nil {
		return c, apperr.From(err)
	}
	for name, text := range map[string]string{"category": q.Category, "project": q.Project, "agent": q.AgentID,
		"feature": q.Feature,
		"pattern": decisions.NameKey(q.Pattern), "visibility": q.Visibility, "outcome": q.Outcome,
		"reason_type": q.ReasonType} {
		if text != "" {
			c.filter[name] = text
		}
	}
	for name, list := range map[string][]string{"stakes": q.Stakes, "status": q.Status} {
		if len(list) > 0 {
			c.filter[name] = list
		}
	}
	if tags := decisions.UniqueTexts(q.Tags); len(tags) > 0 {
		for i := range tags {
			tags[i] = decisions.NameKey(tags[i])
		}
		c.filter["tags"] = tags
	}
	if q.PR > 0 {
		c.filter["pr"] = q.PR
	}
	if q.HasOutcome != nil {
		c.filter["has_outcome"] = *q.HasOutcome
	}
	if q.Imported != nil {
		c.filter["imported"] = *q.Imported
	}
	if q.MinConfidence != nil {
		c.filter["min_confidence"] = *q.MinConfidence
	}
	if q.MaxConfidence != nil {
		c.filter["max_confidence"] = *q.MaxConfidence
	}
	if q.DateAfter != "" {
		c.filter["after"] = c.from
	}
	if q.DateBefore != "" {
		c.filter["before"] = c.to
	}
	return c, nil
}

// Earliest and latest are times before and after every decision.
var (
	Earliest = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// order is the sort order of a list, and the position after which its page starts.
type order struct {
	by        string
	rising    bool
	groups    []string // the values in order, if the list is sorted by a property with few values
	leavesOut string   // property without which the list omits a decision; empty if all decisions have it
	limit     int
	at        pagePosition
}

// pagePosition is the position at the end of a page, encoded as a cursor. At is created_at of the last row, or the
// review_by or confidence that the list is sorted by.
type pagePosition struct {
	Sort    string    `json:"s"` // property and order of the sort: a cursor of another list is invalid
	Group   string    `json:"g,omitempty"`
	Time    time.Time `json:"t,omitzero"`
	Number  float64   `json:"n,omitempty"`
	UID     string    `json:"u"`
	Walking bool      `json:"w,omitempty"` // no filter is selective
}

// groups are the values of properties with few values, in ascending order.
var groups = map[string][]string{
	"category": {"architecture", "integration", "process", "security", "tooling"},
	"stakes":   {"low", "medium", "high", "critical"},
	"status":   {"pending", "reviewed"},
}

func orderOf(q ListQuery) (order, error) {
	o := order{by: cmp.Or(q.Sort, "created_at"), rising: q.Order == "asc", limit: q.Limit}
	o.groups = slices.Clone(groups[o.by])
	if !o.rising {
		slices.Reverse(o.groups)
	}
	if o.by != "created_at" {
		o.leavesOut = o.by
	}
	if q.Cursor == "" {
		return o, nil
	}
	if err := graph.ReadCursor(q.Cursor, &o.at); err != nil || o.at.UID == "" || o.at.Sort != o.name() ||
		o.groups != nil && !slices.Contains(o.groups, o.at.Group) {
		return o, apperr.New(apperr.Validation, "Invalid cursor").
			WithHint("Pass `next_cursor` of the previous page unchanged with the same `sort` and `order`, or leave it out to start")
	}
	return o, nil
}

func (o order) name() string {
	if o.rising {
		return o.by + " asc"
	}
	return o.by + " desc"
}

func (p pagePosition) String() string { return graph.Cursor(p) }

// placeOf returns the position of a decision; false if the list omits it. by is the value of the property that the list
// is sorted by.
func (o order) placeOf(uid string, created time.Time, by any) (pagePosition, bool) {
	p := pagePosition{Sort: o.name(), UID: uid, Time: created.UTC()}
	known := true
	switch {
	case o.groups != nil:
		p.Group, _ = by.(string)
		known = slices.Contains(o.groups, p.Group)
	case o.by == "confidence":
		p.Number, known = by.(float64)
		p.Time = time.Time{}
	case o.by == "review_by":
		p.Time, known = by.(time.Time)
		p.Time = p.Time.UTC()
	}
	return p, known
}

// compare compares two positions. Within a group the newest is first.
func (o order) compare(a, b pagePosition) int {
	if o.groups != nil {
		return cmp.Or(cmp.Compare(slices.Index(o.groups, a.Group), slices.Index(o.groups, b.Group)),
			b.Time.Compare(a.Time), strings.Compare(b.UID, a.UID))
	}
	rising := cmp.Or(cmp.Compare(a.Number, b.Number), a.Time.Compare(b.Time), strings.Compare(a.UID, b.UID))
	if o.rising {
		return rising
	}
	return -rising
}

// listByIndex reads an index with filter and order, and counts in parallel.
func (s *Store) listByIndex(ctx context.Context, o order, c conditions) (List, error) {
	if caller.From(ctx).Limited() { // the index also counts decisions that the caller may not see
		p, err := s.listByScanning(ctx, o, c)
		return p.appendTo(List{}, true), err
	}
	all := o
	all.at = pagePosition{} // count from the start, not from this page
	params := all.scanParams(c, "")
	params["most"] = MaxSorted
	var left struct{ Total, Retracted int64 }
	var uncounted error
	var counting sync.WaitGroup
	counting.Go(func() {
		left, uncounted = graph.One[struct{ Total, Retracted int64 }](ctx, s.graph, cypher.DecisionsCountInIndex,
			params)
	})
	p, err := s.listByScanning(ctx, o, c)
	counting.Wait()
	if err != nil || uncounted != nil {
		return List{}, cmp.Or(err, uncounted)
	}
	list := List{}
	if left.Total >= int64(MaxSorted) {
		return p.appendTo(c.atLeast(list), true), nil
	}
	if !c.retracted {
		left.Total -= left.Retracted
	}
	list.Total = new(int(left.Total))
	return p.appendTo(list, false), nil
}

// atLeast sets the minimum if the only filter matches more than are counted.
func (c conditions) atLeast(list List) List {
	if tags, _ := c.filter["tags"].([]string); len(c.filter) == 1 &&
		len(tags) < 2 { // several tags may each be frequent without any decision that has all of them
		list.TotalAtLeast = MaxSorted
	}
	return list
}

// listBySorting lists the matches of the most selective filter, if they are few enough to be sorted here; otherwise it
// returns their minimum number.
func (s *Store) listBySorting(ctx context.Context, o order, c conditions) (bool, List, error) {
	read, err := graph.All[struct {
		Fewest int64
		Found  []any // {uid, at, by}
	}](ctx, s.graph, cypher.DecisionsFiltered, graph.Params{"filter": c.filter, "from": c.from, "to": c.to, "by": o.by,
		"most": MaxSorted, "retracted": c.retracted})
	if err != nil || len(read) == 0 { // no filter with an index
		return false, List{}, err
	}
	if read[0].Fewest >= int64(MaxSorted) {
		if caller.From(ctx).Limited() {
			return false, List{}, nil
		}
		return false, c.atLeast(List{}), nil
	}
	places := make([]pagePosition, 0, len(read[0].Found))
	for _, item := range read[0].Found {
		found, _ := item.(map[string]any) // the statement returns maps
		if p, ok := o.placeOf(graph.Text(found, "uid"), graph.Time(found, "at"), found["by"]); ok {
			places = append(places, p)
		}
	}
	total := len(places)
	list := List{Total: &total}
	slices.SortFunc(places, o.compare)
	if o.at.UID != "" {
		after := slices.IndexFunc(places, func(p pagePosition) bool { return o.compare(p, o.at) > 0 })
		if after < 0 {
			after = total
		}
		places = places[after:]
	}
	if len(places) > o.limit {
		places = places[:o.limit]
		list.NextCursor = places[o.limit-1].String()
	}
	uids := lists.Map(places, func(p pagePosition) string { return p.UID })
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
func (r row) place(o order) pagePosition {
	uid, _ := r.Decision["uid"].(string)
	created, _ := r.Decision["created_at"].(time.Time)
	p, _ := o.placeOf(uid, created, r.Decision[o.by]) // the value comes from the index of that property
	return p
}

// page holds the results of a scan.
type page struct {
	rows []row
	next pagePosition // start of the next page; zero on the last page
	note string
}

// appendTo appends a page to its list. With walking, the next page also scans, and counts nothing.
func (p page) appendTo(list List, walking bool) List {
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

// listByScanning scans an index in the requested order; for an order of groups, group by group.
func (s *Store) listByScanning(ctx context.Context, o order, c conditions) (page, error) {
	var p page
	for _, group := range o.remainingGroups(c) {
		params := o.scanParams(c, group)
		params["limit"], params["skip"], params["budget"] = o.limit+1-len(p.rows), 0, MaxScanned
		found, err := graph.All[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return page{}, err
		}
		p.rows = append(p.rows, found...)
		if len(p.rows) > o.limit {
			p.next, p.rows = p.rows[o.limit-1].place(o), p.rows[:o.limit]
			return p, nil
		}
		params["limit"], params["skip"], params["budget"], params["filter"], params["retracted"] = 1, MaxScanned-1, 1,
			map[string]any{}, true
		last, err := graph.One[row](ctx, s.graph, o.statement(), params)
		if err != nil {
			return page{}, err
		}
		if last.Decision != nil { // the scan did not reach the end
			p.next = last.place(o)
			p.note = fmt.Sprintf("%d decisions were examined; more follow: next_cursor continues", MaxScanned)
			return p, nil
		}
		o.at = pagePosition{} // the next group starts from its beginning
	}
	return p, nil
}

// statement returns the statement for the order. Within a group, the newest are first.
func (o order) statement() cypher.Statement {
	if o.rising && o.groups == nil {
		return cypher.DecisionsAscending
	}
	return cypher.DecisionsDescending
}

// remainingGroups returns the groups from the start of the page that the filters allow; a single unnamed group if the
// order has no groups.
func (o order) remainingGroups(c conditions) []string {
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

// indexedFilters are the filters with an index in time order, the presumably most selective first.
var indexedFilters = []string{"pr", "feature", "project", "outcome", "agent", "stakes", "category", "status"}

// scanParams returns the parameters of a scan: the index, the range, and the filters that the index does not answer.
func (o order) scanParams(c conditions, group string) graph.Params {
	from, to, lead, left := c.from, c.to, map[string]any{}, maps.Clone(c.filter)
	answered := []string{"after", "before"}
	var at any = graph.UTC(o.at.Time)
	switch {
	case group != "":
		lead[o.by] = group
	case o.by == "review_by":
		from, to, answered = graph.UTC(Earliest), graph.UTC(latest), nil
	case o.by == "confidence":
		from, to, at = cmp.Or(c.filter["min_confidence"], any(0.0)), cmp.Or(c.filter["max_confidence"], any(1.0)),
			o.at.Number
		answered = []string{"project", "min_confidence", "max_confidence"}
	default:
		for _, name := range indexedFilters {
			if wanted, single := singleValue(c.filter[name]); single {
				lead[name] = wanted
				break
			}
		}
	}
	for name := range lead {
		delete(left, name)
	}
	for _, name := range answered {
		delete(left, name)
	}
	switch {
	case o.at.UID == "":
		at = nil
	case o.statement().Name == cypher.DecisionsAscending.Name:
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
	return graph.Params{"lead": lead, "from": from, "to": to, "at": at, "uid": o.at.UID, "filter": left,
		"retracted": c.retracted}
}

// along reports whether the scanned index contains only matches.
func (o order) along(c conditions) bool {
	left, _ := o.scanParams(c, "")["filter"].(map[string]any)
	return o.groups == nil && len(left) == 0
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

// FirstDecisionAt returns the time of the first decision of an agent; zero if it has none.
func (s *Store) FirstDecisionAt(ctx context.Context, agent string) (time.Time, error) {
	first, err := graph.One[struct{ At time.Time }](ctx, s.graph, cypher.AgentSince,
		graph.Params{"agent": decisions.NameKey(agent), "name": agent, "earliest": graph.UTC(Earliest)})
	return first.At, err
}

// Newest returns the newest decisions of a project, spelled as decisions spell it, or of all projects if it is empty.
func (s *Store) Newest(ctx context.Context, project string, limit int) (Matches, error) {
	c := conditions{filter: map[string]any{}, from: graph.UTC(Earliest), to: graph.UTC(latest)}
	if project != "" {
		c.filter["project"] = project
	}
	found, err := s.listByScanning(ctx, order{by: "created_at", limit: limit}, c)
	if err != nil {
		return Matches{}, err
	}
	hits := make([]search.Hit, len(found.rows))
	for i, d := range found.rows {
		hits[i].UID = graph.Text(d.Decision, "uid")
	}
	m := matchesOf(Query{}, search.Results{})
	return m, s.readDetails(ctx, &m, hits, Query{NoLinks: true})
}
