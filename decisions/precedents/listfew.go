package precedents

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// ofFew reports whether a list is filtered only by tags, or only by confidence, newest first: one statement does that.
func (o order) ofFew(c conditions) bool {
	if o.by != "created_at" || o.rising || len(c.filter) == 0 {
		return false
	}
	_, least := c.filter["min_confidence"]
	_, greatest := c.filter["max_confidence"]
	_, tags := c.filter["tags"]
	return tags && len(c.filter) == 1 || (least || greatest) && len(c.filter) == count(least, greatest)
}

func count(are ...bool) (n int) {
	for _, is := range are {
		if is {
			n++
		}
	}
	return n
}

// few lists by tags or confidence. The server either sorts all matches, or scans the newest decisions, whichever is less
// work. It returns false if the result is no whole page.
func (s *Store) few(ctx context.Context, o order, c conditions) (whole, fewer bool, list List, err error) {
	most := MaxChosen
	if tags, _ := c.filter["tags"].([]string); len(tags) > 1 {
		most = MaxLookedAt // decisions with the rarest tag are read: among the newest, matches of all tags may be far apart
	}
	params := graph.Params{"tags": c.filter["tags"], "least": nil, "greatest": nil, "from": c.from, "to": c.to, "at": nil, "uid": o.at.UID,
		"limit": o.limit + 1, "budget": MaxLookedAt, "most": most, "retracted": c.retracted}
	if c.filter["tags"] == nil {
		params["least"], params["greatest"] = 0.0, 1.0
		if least, given := c.filter["min_confidence"]; given {
			params["least"] = least
		}
		if greatest, given := c.filter["max_confidence"]; given {
			params["greatest"] = greatest
		}
	}
	if o.at.UID != "" {
		params["at"], params["to"] = graph.UTC(o.at.Time), graph.UTC(o.at.Time)
	}
	read, err := graph.One[struct {
		N, Total int
		Found    []map[string]any
		Whole    bool
	}](ctx, s.graph, cypher.DecisionsFew, params)
	if err != nil {
		return false, false, List{}, err
	}
	fewer = read.N < most
	if fewer {
		list.Total = &read.Total
	} else {
		list = c.atLeast(list)
	}
	if !read.Whole {
		return false, fewer, list, nil
	}
	p := page{rows: make([]row, len(read.Found))}
	for i, found := range read.Found {
		p.rows[i].Decision = found
	}
	if len(p.rows) > o.limit {
		p.next, p.rows = p.rows[o.limit-1].place(o), p.rows[:o.limit]
	}
	return true, fewer, p.onto(list, !fewer), nil
}
