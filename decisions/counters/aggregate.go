package counters

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
)

const (
	countBatch = 2000 // decisions per transaction, which holds their locks
	maxCells   = 8000 // maximum cells per transaction, so that it fits into the server's memory
	cellBatch  = 2000 // cells per statement
	pruneBatch = 1000 // cells of days that are deleted per transaction
)

// aggregate counts what fits into one transaction: it subtracts the previous contribution of each decision from the
// cells and adds the current one. It reports whether there may be more. A lock lets one process count at a time.
func (c *counter) aggregate(ctx context.Context) (more bool, err error) {
	ctx = graph.InBackground(ctx)
	err = c.db.Write(ctx, func(tx *graph.Tx) error {
		more = false
		rows, err := graph.All[countedRow](ctx, tx, cypher.CountBegin, graph.Params{"limit": countBatch})
		if err != nil || len(rows) == 0 {
			return err
		}
		changes := newTally(rows[0].Today)
		notes := make([]any, 0, len(rows))
		for _, row := range rows {
			if len(changes.cells) >= maxCells {
				break
			}
			notes = append(notes, changes.change(row))
		}
		more = len(notes) < len(rows) || len(rows) == countBatch
		cells, empty, err := changes.applyChanges(ctx, tx)
		if err != nil {
			return err
		}
		for batch := range slices.Chunk(cells, cellBatch) {
			if err := tx.Run(ctx, cypher.CellsCount, graph.Params{"cells": batch}); err != nil {
				return err
			}
		}
		return tx.Run(ctx, cypher.CountEnd, graph.Params{"empty": empty, "counted": notes, "oldest": changes.oldest,
			"most": pruneBatch})
	})
	return more, err
}

// change counts a decision again and returns its new contribution.
func (t *tally) change(row countedRow) map[string]any {
	note := map[string]any{"node": row.Node, "as": nil}
	var now contribution
	if row.Counts {
		now = row.contribution()
		note["as"] = now.String()
	}
	before, ok := countedAs(row.CountedAs)
	if ok && row.Counts && before.String() == note["as"] { // nothing that is counted has changed
		return note
	}
	if ok {
		t.add(before, -1)
	}
	if row.Counts {
		t.add(now, 1)
	}
	return note
}

// applyChanges adds the changes to the stored cells, and returns the rows of cells to be written and of empty ones. An
// unreadable cell stays; a rebuild repairs it.
func (t *tally) applyChanges(ctx context.Context, tx *graph.Tx) (cells, empty []any, err error) {
	keys := t.keys()
	var there []storedCell
	for batch := range slices.Chunk(rows(keys, cellKey.parameters), cellBatch) {
		found, err := graph.All[storedCell](ctx, tx, cypher.CellsOfKeys, graph.Params{"keys": batch})
		if err != nil {
			return nil, nil, err
		}
		there = append(there, found...)
	}
	unreadable, before := map[cellKey]bool{}, map[cellKey]map[string]any{}
	for _, f := range there {
		k := cellKey{f.Scope, f.Period}
		cell, err := calibration.CellOf(f.Cell)
		unreadable[k] = err != nil
		before[k] = cellChange{t.cells[k].scope, cell}.properties()
		t.cells[k].Merge(cell, 1)
	}
	cells, empty = []any{}, []any{}
	for _, k := range keys {
		switch cell := t.cells[k]; {
		case unreadable[k]:
		case cell.Empty():
			empty = append(empty, k.parameters())
		default:
			row := t.parameters(k)
			row["sums"] = decisions.ChangedProperties(before[k], cell.properties())
			cells = append(cells, row)
		}
	}
	return cells, empty, nil
}
