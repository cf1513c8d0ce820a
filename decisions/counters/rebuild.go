package counters

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/progress"
)

// RebuildRequest asks to repair counters, or to only compare them.
type RebuildRequest struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
}

// RebuiltStats counts what was compared and repaired.
type RebuiltStats struct {
	Decisions      int64    `json:"decisions" jsonschema:"number of counted decisions"`
	Cells          int64    `json:"cells" jsonschema:"number of expected counters"`
	WrongCells     int64    `json:"wrong_cells" jsonschema:"number of wrong counters"`
	WrongDecisions int64    `json:"wrong_decisions" jsonschema:"number of wrongly counted decisions"`
	Mended         int64    `json:"repaired" jsonschema:"number of repaired counters and decisions"`
	DryRun         bool     `json:"dry_run,omitempty"`
	TookMS         float64  `json:"took_ms"`
	Notes          []string `json:"notes,omitempty"`
}

// Failed reports whether counters are wrong and were not repaired.
func (r RebuiltStats) Failed() bool { return r.DryRun && r.WrongCells+r.WrongDecisions > 0 }

const (
	repairBatch = 500
	reportEvery = 5000 // decisions
)

// maxHeldCells is the number of cells in memory, about 3 kB each.
var maxHeldCells = 40_000

// RebuildStats counts marked decisions, then compares every cell with the counted contributions, and these with the
// decisions, and repairs differences; with DryRun it writes nothing. No process counts meanwhile: changed decisions
// wait. It can be interrupted and run again. It returns unavailable if the database does not answer.
func (s *Store) RebuildStats(ctx context.Context, r RebuildRequest) (RebuiltStats, error) {
	started := time.Now()
	if !r.DryRun {
		progress.Say(ctx, "Counting pending decisions")
		if err := s.counter.Drain(ctx); err != nil {
			return RebuiltStats{}, err
		}
	}
	var out RebuiltStats
	// The transaction only holds the lock: its memory could not hold all changes.
	err := s.graph.Write(ctx, func(tx *graph.Tx) error {
		lock, err := graph.One[struct{ Today string }](ctx, tx, cypher.CountersLock, nil)
		if err != nil {
			return err
		}
		b := rebuilding{Store: s, oldest: oldestDay(lock.Today),
			held: func() error { return tx.Run(ctx, cypher.CountersLock, nil) }, out: RebuiltStats{DryRun: r.DryRun}}
		if err := b.cells(ctx); err != nil {
			return err
		}
		err = b.checkDecisions(ctx)
		out = b.out
		return err
	})
	if err != nil {
		return RebuiltStats{}, err
	}
	if out.WrongDecisions > 0 && !r.DryRun {
		if err := s.counter.Drain(ctx); err != nil {
			return RebuiltStats{}, err
		}
	}
	out.TookMS = progress.Milliseconds(started)
	return out, nil
}

// rebuilding is the state of a rebuild.
type rebuilding struct {
	*Store
	oldest string       // the first day that has cells
	held   func() error // fails when the counters are no longer locked
	out    RebuiltStats
}

var errTooManyCells = errors.New("too many counters to hold in memory")

// cells compares all cells, in as many parts as memory requires.
func (b *rebuilding) cells(ctx context.Context) error {
	for parts := 1; ; parts *= 2 {
		if b.out.Cells = 0; b.out.DryRun { // repaired cells are correct now
			b.out.WrongCells = 0
		}
		var err error
		for part := 0; part < parts && err == nil; part++ {
			err = b.part(ctx, part, parts)
		}
		if !errors.Is(err, errTooManyCells) {
			return err
		}
	}
}

// part compares the cells of one part with the sum of the contributions.
func (b *rebuilding) part(ctx context.Context, part, parts int) error {
	in := func(k cellKey) bool {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(k.scope)) // a hash never fails
		return int(sum.Sum32()%uint32(parts)) == part
	}
	sums := &tally{oldest: b.oldest, cells: map[cellKey]*cellChange{}, only: in}
	var done int64
	err := graph.Each(ctx, b.graph, cypher.DecisionsCountedAs, nil, func(row struct{ CountedAs any }) error {
		if c, ok := countedAs(row.CountedAs); ok {
			sums.add(c, 1)
		}
		if done++; done%reportEvery == 0 {
			progress.Report(ctx, progress.Step{Message: fmt.Sprintf("Aggregating counters (%d of %d)", part+1, parts),
				Done: done})
		}
		if len(sums.cells) > maxHeldCells {
			return errTooManyCells
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.out.Cells += int64(len(sums.cells))
	var gone []cellKey
	err = graph.Each(ctx, b.graph, cypher.CellsAll, graph.Params{"oldest": b.oldest}, func(row storedCell) error {
		k := cellKey{row.Scope, row.Period}
		switch right := sums.cells[k]; {
		case !in(k):
		case right == nil:
			gone = append(gone, k)
		case right.equals(row.Cell):
			delete(sums.cells, k)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.repairCells(ctx, sums, gone)
}

// equals reports whether a node equals the cell.
func (c cellChange) equals(node map[string]any) bool {
	cell, err := calibration.CellOf(node)
	right := c.properties()
	return err == nil && cell == c.Cell && node["kind"] == c.scope.kind() &&
		node["recorded"] == right["recorded"] &&
		node["reviewed"] == right["reviewed"] && node["confirmed"] == right["confirmed"]
}

// repairCells writes wrong and missing cells, and deletes superfluous ones.
func (b *rebuilding) repairCells(ctx context.Context, wrong *tally, gone []cellKey) error {
	keys := wrong.keys()
	b.out.WrongCells += int64(len(keys) + len(gone))
	if b.out.DryRun {
		return nil
	}
	for batch := range slices.Chunk(keys, repairBatch) {
		if err := b.repair(ctx, rows(batch, wrong.parameters), []any{}); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(gone, repairBatch) {
		if err := b.repair(ctx, []any{}, rows(batch, cellKey.parameters)); err != nil {
			return err
		}
	}
	return nil
}

func (b *rebuilding) repair(ctx context.Context, cells, empty []any) error {
	if err := b.held(); err != nil { // the server ends a transaction that lasts too long, and other processes then count
		return err
	}
	err := b.graph.Write(ctx, func(tx *graph.Tx) error {
		return tx.Run(ctx, cypher.CellsRepair, graph.Params{"cells": cells, "empty": empty})
	})
	if err == nil {
		b.out.Mended += int64(len(cells) + len(empty))
	}
	return err
}
