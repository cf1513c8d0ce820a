package counters

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/progress"
)

// decisions compares each decision with its counted contribution. A decision that differs is marked and counted again at
// the end.
func (b *rebuilding) decisions(ctx context.Context) error {
	var suspect []string
	err := graph.Each(ctx, b.graph, cypher.DecisionsCounted, decisionsOf(scope{}), func(row countedRow) error {
		if b.out.Decisions++; b.out.Decisions%reportEvery == 0 {
			progress.Report(ctx, progress.Step{Message: "Comparing decisions", Done: b.out.Decisions})
		}
		if !row.asCounted() {
			suspect = append(suspect, row.UID)
		}
		if len(suspect) < repairBatch {
			return nil
		}
		uids := suspect
		suspect = nil
		return b.recount(ctx, uids)
	})
	if err != nil || len(suspect) == 0 {
		return err
	}
	return b.recount(ctx, suspect)
}

// asCounted reports whether a decision is counted as it is, or marked.
func (r countedRow) asCounted() bool {
	return r.Uncounted || r.CountedAs == any(r.contribution().String())
}

// recount checks decisions that seemed wrong again, under lock, since they may have changed while they were read, and
// marks the wrong ones.
func (b *rebuilding) recount(ctx context.Context, uids []string) error {
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
