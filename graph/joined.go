package graph

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/apperr"
)

// Part is a statement with its parameters, sent within a joined statement or alone.
type Part struct {
	statement cypher.Statement
	params    Params
	take      func(records []*neo4j.Record, err error)
}

// Rows holds the rows of a part after its statement was sent, or the error.
type Rows[T any] struct {
	All []T
	Err error
}

// First returns the first row, or the zero T if there is none.
func (r *Rows[T]) First() (T, error) {
	if len(r.All) == 0 {
		var none T
		return none, r.Err
	}
	return r.All[0], r.Err
}

// NewPart returns a part for a statement, and the rows that reading the part fills.
func NewPart[T any](s cypher.Statement, p Params) (Part, *Rows[T]) {
	rows := &Rows[T]{}
	return Part{s, p, func(records []*neo4j.Record, err error) {
		rows.All, rows.Err = make([]T, len(records)), err
		for i, record := range records {
			if err := decode(record, &rows.All[i]); err != nil {
				rows.All, rows.Err = nil, apperr.From(err)
				return
			}
		}
	}}, rows
}

// ReadJoined sends a joined statement with all of its parts, and sets the rows of each part. If the statement fails,
// it sends every part alone, so that an error of one part does not affect the others.
func ReadJoined(ctx context.Context, q Querier, s cypher.Joined, parts ...Part) {
	params, declared := Params{}, make([]cypher.Part, len(parts))
	for n, part := range parts {
		i := slices.IndexFunc(s.Parts, func(p cypher.Part) bool { return p.Name == part.statement.Name })
		declared[n] = s.Parts[i]
		for name, value := range part.params {
			params[s.Parts[i].Key+"_"+name] = value
		}
	}
	records, err := q.query(ctx, s.Statement, params)
	if err == nil && len(records) != 1 {
		err = fmt.Errorf("%s gave %d rows", s.Name, len(records))
	}
	alone := err != nil && ctx.Err() == nil && !apperr.Is(err, apperr.Unavailable) && !apperr.Is(err, apperr.QueryTimeout)
	var all sync.WaitGroup
	for n, part := range parts {
		switch {
		case alone:
			all.Go(func() { ReadAlone(ctx, q, part) })
		case err != nil:
			part.take(nil, err)
		default:
			value, _ := records[0].Get(declared[n].Key)
			part.take(recordsIn(value, declared[n].Columns), nil)
		}
	}
	all.Wait()
}

// ReadAlone sends the statement of a part alone, and sets its rows.
func ReadAlone(ctx context.Context, q Querier, part Part) {
	part.take(q.query(ctx, part.statement, part.params))
}

// recordsIn returns the rows in a column of a joined statement as records.
func recordsIn(column any, keys []string) []*neo4j.Record {
	list, _ := column.([]any)
	records := make([]*neo4j.Record, len(list))
	for i, item := range list {
		row, _ := item.(map[string]any)
		values := make([]any, len(keys))
		for j, key := range keys {
			values[j] = row[key]
		}
		records[i] = &neo4j.Record{Keys: keys, Values: values}
	}
	return records
}
