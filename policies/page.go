package policies

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
)

// Page selects a part of a list.
type Page struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=500,default=100"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the previous page" rule:"maxLength=2000"`
}

// DefaultLimit is the default size of a page.
const DefaultLimit = 100

// Position is the content of a cursor: the name and element id of the last row, so that every page costs the same, and
// rows with the same name are neither lost nor repeated.
type Position struct {
	Name string `json:"n"`
	ID   string `json:"i"`
}

// ReadPage runs the two statements of a list: the rows after the cursor, and the total.
func ReadPage[T any](ctx context.Context, db *graph.DB, rows, count cypher.Statement, params graph.Params, p Page) ([]T,
	int, string, error) {
	after, err := p.after()
	if err != nil {
		return nil, 0, "", err
	}
	limit := p.size()
	params["after_name"], params["after_id"], params["limit"] = after.Name, after.ID, limit+1
	found, err := graph.All[struct {
		ID, Name string
		Row      T `mapstructure:",squash"`
	}](ctx, db, rows, params)
	if err != nil {
		return nil, 0, "", err
	}
	cursor := ""
	if len(found) > limit {
		found = found[:limit]
		cursor = Position{found[limit-1].Name, found[limit-1].ID}.String()
	}
	total, err := graph.One[struct{ Total int }](ctx, db, count, params)
	if err != nil {
		return nil, 0, "", err
	}
	out := make([]T, len(found))
	for i, row := range found {
		out[i] = row.Row
	}
	return out, total.Total, cursor, nil
}

func (p Page) after() (Position, error) {
	var at Position
	if p.Cursor == "" {
		return at, nil
	}
	if err := graph.ReadCursor(p.Cursor, &at); err != nil {
		return at, apperr.New(apperr.Validation, "Invalid cursor").
			WithHint("Pass `next_cursor` of the previous page unchanged, or leave it out to start")
	}
	return at, nil
}

// String returns the position as a cursor.
func (p Position) String() string { return graph.Cursor(p) }

// ReadNewest reads a page of a list that is newest first: after the last row of the previous page, else from the
// requested time. position returns the time and the id of a row.
func ReadNewest[T any](ctx context.Context, db *graph.DB, rows cypher.Statement, params graph.Params, dateBefore string,
	p Page, position func(T) (time.Time, string)) ([]T, string, error) {
	at, err := p.after()
	if err != nil {
		return nil, "", err
	}
	if at.Name == "" {
		at = Position{cmp.Or(dateBefore, "9999-01-01"), afterAll}
	}
	if params["before"], err = ParseTime("date_before", at.Name); err != nil {
		return nil, "", err
	}
	limit := p.size()
	params["before_uid"], params["limit"] = at.ID, limit+1
	found, err := graph.All[T](ctx, db, rows, params)
	if err != nil || len(found) <= limit {
		return found, "", err
	}
	last, id := position(found[limit-1])
	return found[:limit], Position{last.UTC().Format(time.RFC3339Nano), id}.String(), nil
}

func (p Page) size() int {
	if p.Limit <= 0 {
		return DefaultLimit
	}
	return p.Limit
}

// afterAll sorts after every uid.
const afterAll = "~"

// ParseTime parses a time; empty returns nil.
func ParseTime(name, text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	at, err := timeparse.Parse(name, text)
	return graph.UTC(at), err
}

// Nullable returns the value of an optional parameter, null for nil.
func Nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// NullIfNone returns a list as a parameter, null for an empty one.
func NullIfNone(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return graph.List(list)
}

// ContainsAll reports whether have contains all wanted values.
func ContainsAll(have, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(have, name) })
}
