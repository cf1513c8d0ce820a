package counters

import (
	"context"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
)

const (
	foldedAtOnce = 500  // decisions; their locks are held for as long
	mostCells    = 2000 // that a transaction writes, so that it stays within the memory of one
	prunedAtOnce = 1000 // cells of days
)

// fold counts decisions as they are now, in one transaction: what was counted of each is taken out of the cells, and what
// it says now is put in. It tells whether others may be left. Folds of all processes take turns.
func (c *counter) fold(ctx context.Context) (more bool, err error) {
	err = c.db.Write(ctx, func(tx *graph.Tx) error {
		more = false
		rows, err := graph.All[countedRow](ctx, tx, cypher.CountBegin, graph.Params{"limit": foldedAtOnce})
		if err != nil || len(rows) == 0 {
			return err
		}
		changes := newTally(rows[0].Today)
		notes := make([]any, 0, len(rows))
		for _, row := range rows {
			if len(changes.cells) >= mostCells {
				break
			}
			notes = append(notes, changes.change(row))
		}
		more = len(rows) == foldedAtOnce || len(notes) < len(rows)
		params, err := changes.onto(ctx, tx)
		if err != nil {
			return err
		}
		params["counted"], params["oldest"], params["most"] = notes, changes.oldest, prunedAtOnce
		return tx.Run(ctx, cypher.CountEnd, params)
	})
	return more, err
}

// change counts a decision anew, and gives the note of it.
func (t *tally) change(row countedRow) map[string]any {
	note := map[string]any{"node": row.Node, "as": nil}
	var now contribution
	if row.Counts {
		now = row.contribution()
		note["as"] = now.String()
	}
	before, was := countedAs(row.CountedAs)
	if was && row.Counts && before.String() == note["as"] { // nothing that counts has changed
		return note
	}
	if was {
		t.add(before, -1)
	}
	if row.Counts {
		t.add(now, 1)
	}
	return note
}

// onto adds the changes to the cells as they stand, and gives the parameters that write them. A cell that somebody made
// unreadable is left to the rebuild.
func (t *tally) onto(ctx context.Context, tx *graph.Tx) (graph.Params, error) {
	keys := t.keys()
	wanted := make([]any, len(keys))
	for i, k := range keys {
		wanted[i] = k.parameters()
	}
	type found struct {
		Scope, Period string
		Cell          map[string]any
	}
	there, err := graph.All[found](ctx, tx, cypher.CellsOfKeys, graph.Params{"keys": wanted})
	if err != nil {
		return nil, err
	}
	unreadable, before := map[cellKey]bool{}, map[cellKey]map[string]any{}
	for _, f := range there {
		k := cellKey{f.Scope, f.Period}
		cell, err := calibration.CellOf(f.Cell)
		unreadable[k] = err != nil
		before[k] = tallied{t.cells[k].scope, cell}.properties()
		t.cells[k].Merge(cell, 1)
	}
	cells, empty := []any{}, []any{}
	for _, k := range keys {
		switch cell := t.cells[k]; {
		case unreadable[k]:
		case cell.Empty():
			empty = append(empty, k.parameters())
		default:
			row := cell.parameters(k)
			row["sums"] = decisions.Different(before[k], cell.properties())
			cells = append(cells, row)
		}
	}
	return graph.Params{"cells": cells, "empty": empty}, nil
}
