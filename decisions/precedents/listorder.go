package precedents

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
)

// order is the sort order of a list and the start of its page.
type order struct {
	by        string
	rising    bool
	groups    []string // the ordered values if it is sorted by a property with few values
	leavesOut string   // a decision without this property is omitted; empty if all have it
	limit     int
	at        place
}

// place is the position at the end of a page, encoded as a cursor. At is created_at of the last row, or the review_by or
// confidence that the list is sorted by.
type place struct {
	Sort    string    `json:"s"` // and order: a cursor of another list is invalid
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
	if err := graph.ReadCursor(q.Cursor, &o.at); err != nil || o.at.UID == "" || o.at.Sort != o.name() || o.groups != nil && !slices.Contains(o.groups, o.at.Group) {
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

func (p place) String() string { return graph.Cursor(p) }

// placeOf returns the position of a decision; false if the list omits it. by is the property that it is sorted by.
func (o order) placeOf(uid string, created time.Time, by any) (place, bool) {
	p := place{Sort: o.name(), UID: uid, Time: created.UTC()}
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
func (o order) compare(a, b place) int {
	if o.groups != nil {
		return cmp.Or(cmp.Compare(slices.Index(o.groups, a.Group), slices.Index(o.groups, b.Group)), b.Time.Compare(a.Time), strings.Compare(b.UID, a.UID))
	}
	rising := cmp.Or(cmp.Compare(a.Number, b.Number), a.Time.Compare(b.Time), strings.Compare(a.UID, b.UID))
	if o.rising {
		return rising
	}
	return -rising
}
