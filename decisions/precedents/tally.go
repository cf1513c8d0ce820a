package precedents

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/timeparse"
)

// TallyQuery selects decisions to count.
type TallyQuery struct {
	Project string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	timeparse.Range
}

// Tally counts decisions by property. If there are too many, only the newest count, and AtLeast says so.
type Tally struct {
	Total      int            `json:"total"`
	ByCategory map[string]int `json:"by_category"`
	ByStakes   map[string]int `json:"by_stakes"`
	ByStatus   map[string]int `json:"by_status"`
	ByAgent    map[string]int `json:"by_agent"`
	ByDay      []DayCount     `json:"by_day" jsonschema:"in UTC, newest first"`
	TopTags    []TagCount     `json:"top_tags" jsonschema:"the 20 most frequent"`
	Recent     RecentActivity `json:"recent_activity"`
	AtLeast    bool           `json:"at_least,omitempty" jsonschema:"true if more decisions exist than were counted"`
}

// DayCount is the number of decisions of a day.
type DayCount struct {
	Date  string `json:"date"`
	Count int    `json:"count"`
}

// TagCount is the number of decisions with a tag.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// RecentActivity counts recent decisions.
type RecentActivity struct {
	LastDay   int `json:"last24h"`
	LastWeek  int `json:"last7d"`
	LastMonth int `json:"last30d"`
}

const (
	maxTallied = 20_000
	maxDays    = 90
	maxTags    = 20
)

// Tally counts the decisions of a project, of a time, or all; properties are counted for at most the newest 20,000. It
// returns a validation_error for an invalid time.
func (s *Store) Tally(ctx context.Context, q TallyQuery) (Tally, error) {
	c, err := conditionsOf(ListQuery{Range: q.Range})
	if err != nil {
		return Tally{}, err
	}
	_, project, err := s.decisions.CanonicalNames(ctx, "", q.Project)
	if err != nil {
		return Tally{}, err
	}
	rows, err := graph.All[struct {
		At                              time.Time
		Now                             time.Time
		Category, Stakes, Status, Agent string
		Tags                            []any
	}](ctx, s.graph, cypher.DecisionsTally, graph.Params{"project": graph.NullIfEmpty(project), "from": c.from,
		"to": c.to, "most": maxTallied + 1})
	if err != nil {
		return Tally{}, err
	}
	out := Tally{ByCategory: map[string]int{}, ByStakes: map[string]int{}, ByStatus: map[string]int{},
		ByAgent: map[string]int{}}
	if out.AtLeast = len(rows) > maxTallied; out.AtLeast {
		rows = rows[:maxTallied]
	}
	days, tags := map[string]int{}, map[string]int{}
	for _, row := range rows {
		out.Total++
		for into, value := range map[*map[string]int]string{&out.ByCategory: row.Category, &out.ByStakes: row.Stakes,
			&out.ByStatus: row.Status, &out.ByAgent: row.Agent} {
			if value != "" {
				(*into)[value]++
			}
		}
		days[row.At.UTC().Format(time.DateOnly)]++
		for _, tag := range graph.Texts(row.Tags) {
			tags[tag]++
		}
		for within, into := range map[time.Duration]*int{24 * time.Hour: &out.Recent.LastDay,
			7 * 24 * time.Hour: &out.Recent.LastWeek, 30 * 24 * time.Hour: &out.Recent.LastMonth} {
			if age := row.Now.Sub(row.At); age >= 0 && age <= within {
				*into++
			}
		}
	}
	for _, day := range slices.Backward(slices.Sorted(maps.Keys(days))) {
		if len(out.ByDay) < maxDays {
			out.ByDay = append(out.ByDay, DayCount{day, days[day]})
		}
	}
	used := slices.SortedFunc(maps.Keys(tags), func(a,
		b string) int {
		return cmp.Or(tags[b]-tags[a], cmp.Compare(a, b))
	})
	for _, tag := range used[:min(len(used), maxTags)] {
		out.TopTags = append(out.TopTags, TagCount{tag, tags[tag]})
	}
	return out, nil
}
