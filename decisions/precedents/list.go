package precedents

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/timeparse"
)

// ListQuery selects a page of decisions. Absent filters select all; all of Tags must match.
type ListQuery struct {
	Category   string   `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Stakes     []string `json:"stakes,omitempty" jsonschema:"any of low, medium, high, critical" rule:"maxItems=4"`
	Status     []string `json:"status,omitempty" jsonschema:"any of pending, reviewed" rule:"maxItems=2"`
	Project    string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID    string   `json:"agent_id,omitempty" jsonschema:"filter by deciding agent" rule:"maxLength=200"`
	Tags       []string `json:"tags,omitempty" jsonschema:"all of these tags" rule:"maxItems=20"`
	Feature    string   `json:"feature,omitempty" jsonschema:"feature or epic" rule:"maxLength=200"`
	PR         int64    `json:"pr,omitempty" jsonschema:"pull request" rule:"minimum=1"`
	Pattern    string   `json:"pattern,omitempty" jsonschema:"exact pattern" rule:"maxLength=2000"`
	Visibility string   `json:"visibility,omitempty" rule:"enum=private|project|shared"`
	ReasonType string   `json:"reason_type,omitempty" jsonschema:"filter by reason type" rule:"enum=authority|analogy|analysis|pattern|intuition|empirical|elimination|constraint"`
	HasOutcome *bool    `json:"has_outcome,omitempty" jsonschema:"with (true) or without (false) an outcome"`
	Outcome    string   `json:"outcome,omitempty" rule:"enum=success|partial|failure|abandoned"`
	Confidences
	timeparse.Range
	Retracted bool   `json:"retracted,omitempty" jsonschema:"include retracted decisions"`
	Sort      string `json:"sort,omitempty" jsonschema:"sort key; decisions without it are left out, ties are newest first" rule:"enum=created_at|confidence|category|stakes|status|review_by,default=\"created_at\""`
	Order     string `json:"order,omitempty" rule:"enum=asc|desc,default=\"desc\""`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=100,default=20"`
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

// MaxChosen is how many decisions are sorted in memory: if a filter matches fewer, the cost depends only on these.
var MaxChosen = 2000

// MaxLookedAt is how many entries of an index are read for one page if filters without an index match few.
var MaxLookedAt = 10_000

// List lists decisions. The cost does not depend on their number: an index with filter and order is read as far as the
// page; otherwise a selective filter is read completely, or an index is read in the requested order, at most 10,000
// decisions a page, after which the answer says how far it came. It returns a validation_error for an invalid time or
// cursor.
func (s *Store) List(ctx context.Context, q ListQuery) (List, error) {
	if q.Limit == 0 {
		q.Limit = defaultListed
	}
	// Most callers use the canonical spelling of agent and project, so the list is read while the spelling is looked up.
	var agent, project string
	var unread error
	var spelling sync.WaitGroup
	spelling.Go(func() { agent, project, unread = s.decisions.CanonicalNames(ctx, q.AgentID, q.Project) })
	list, err := s.list(ctx, q)
	spelling.Wait()
	if err == nil && unread == nil && (agent != q.AgentID || project != q.Project) {
		q.AgentID, q.Project = agent, project
		return s.list(ctx, q)
	}
	return list, cmp.Or(err, unread)
}

func (s *Store) list(ctx context.Context, q ListQuery) (List, error) {
	o, err := orderOf(q)
	if err != nil {
		return List{}, err
	}
	c, err := conditionsOf(q)
	if err != nil {
		return List{}, err
	}
	switch {
	case len(c.filter) == 0 || o.at.Walking || q.ReasonType != "": // no index has the types of reasons
	case o.along(c):
		return s.counted(ctx, o, c)
	case o.ofFew(c) && !caller.From(ctx).Limited(): // the count is of all
		whole, fewer, list, err := s.few(ctx, o, c)
		if err == nil && fewer && !whole {
			whole, list, err = s.chosen(ctx, o, c)
		}
		if err != nil || whole {
			return list, err
		}
		p, err := s.walked(ctx, o, c)
		return p.onto(list, true), err
	default:
		chosen, list, err := s.chosen(ctx, o, c)
		if err != nil || chosen {
			return list, err
		}
		p, err := s.walked(ctx, o, c)
		return p.onto(list, true), err
	}
	list := List{}
	if len(c.filter) == 0 && o.leavesOut == "" && !caller.From(ctx).Limited() {
		all, err := graph.One[struct{ Total, Retracted int }](ctx, s.graph, cypher.DecisionsCount, nil)
		if err != nil {
			return List{}, err
		}
		if !q.Retracted {
			all.Total -= all.Retracted
		}
		list.Total = &all.Total
	}
	p, err := s.walked(ctx, o, c)
	return p.onto(list, true), err
}

// conditions are the filters of a list; filter holds the given ones by their names in the statements.
type conditions struct {
	filter    map[string]any
	from, to  any  // of created_at
	retracted bool // include these
}

func conditionsOf(q ListQuery) (conditions, error) {
	c := conditions{filter: map[string]any{}, from: graph.UTC(Earliest), to: graph.UTC(latest), retracted: q.Retracted}
	if err := errors.Join(decisions.OneOf("stakes", q.Stakes, decisions.StakesWords), decisions.OneOf("status", q.Status, decisions.StatusWords)); err != nil {
		return c, apperr.From(err)
	}
	for name, text := range map[string]string{"category": q.Category, "project": q.Project, "agent": q.AgentID, "feature": q.Feature,
		"pattern": decisions.NameKey(q.Pattern), "visibility": q.Visibility, "outcome": q.Outcome, "reason_type": q.ReasonType} {
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
	if q.MinConfidence != nil {
		c.filter["min_confidence"] = *q.MinConfidence
	}
	if q.MaxConfidence != nil {
		c.filter["max_confidence"] = *q.MaxConfidence
	}
	for name, day := range map[string]struct {
		text  string
		bound *any
	}{"after": {q.DateAfter, &c.from}, "before": {q.DateBefore, &c.to}} {
		if day.text == "" {
			continue
		}
		at, err := timeparse.Parse("date_"+name, day.text)
		if err != nil {
			return c, err
		}
		c.filter[name], *day.bound = graph.UTC(at), graph.UTC(at)
	}
	return c, nil
}

// Earliest and latest are before and after every decision.
var (
	Earliest = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)
