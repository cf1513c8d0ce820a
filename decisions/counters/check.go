package counters

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/progress"
)

// checkDecisions compares the contribution of each decision with the stored one. It marks decisions that differ as
// uncounted, and the rebuild counts them at its end.
func (b *rebuilding) checkDecisions(ctx context.Context) error {
	var suspect []string
	err := graph.Each(ctx, b.graph, cypher.DecisionsCounted, decisionsOf(scope{}), func(row countedRow) error {
		if b.out.Decisions++; b.out.Decisions%reportEvery == 0 {
			progress.Report(ctx, progress.Step{Message: "Comparing decisions", Done: b.out.Decisions})
		}
		if !row.asCounted() {
			suspect = append(suspect, row.UID)
		}
		return nil
	})
	for batch := range slices.Chunk(suspect, repairBatch) {
		if err == nil {
			err = b.recheck(ctx, batch)
		}
	}
	return err
}

// asCounted reports whether the stored contribution is current, or the decision is already marked as uncounted.
func (r countedRow) asCounted() bool {
	return r.Uncounted || r.CountedAs == any(r.contribution().String())
}

// recheck locks decisions that differed, compares them again, because they may have changed since, and marks those that
// still differ.
func (b *rebuilding) recheck(ctx context.Context, uids []string) error {
	var wrong []string
	err := b.graph.Write(ctx, func(tx *graph.Tx) error {
		wrong = nil
		rows, err := graph.All[countedRow](ctx, tx, cypher.DecisionsCountedLock, graph.Params{"uids": uids})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if !row.asCounted() {
				wrong = append(wrong, row.UID)
			}
		}
		if len(wrong) == 0 || b.out.DryRun {
			return nil
		}
		return tx.Run(ctx, cypher.DecisionsUncount, graph.Params{"uids": wrong})
	})
	if err != nil {
		return err
	}
	b.out.WrongDecisions += int64(len(wrong))
	if !b.out.DryRun {
		b.out.Mended += int64(len(wrong))
	}
	return nil
}
