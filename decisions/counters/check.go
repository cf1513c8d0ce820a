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
	var wrong []string
	err := graph.Each(ctx, b.graph, cypher.DecisionsCounted, decisionsOf(scope{}), func(row countedRow) error {
		if b.out.Decisions++; b.out.Decisions%reportEvery == 0 {
			progress.Report(ctx, progress.Step{Message: "Comparing decisions", Done: b.out.Decisions})
		}
		if !row.Uncounted && row.CountedAs != any(row.contribution().String()) {
			wrong = append(wrong, row.UID)
		}
		return nil
	})
	b.out.WrongDecisions = int64(len(wrong))
	if b.out.DryRun {
		return err
	}
	for batch := range slices.Chunk(wrong, repairBatch) {
		if err == nil {
			err = b.graph.Write(ctx, func(tx *graph.Tx) error {
				return tx.Run(ctx, cypher.DecisionsUncount, graph.Params{"uids": batch})
			})
			b.out.Mended += int64(len(batch))
		}
	}
	return err
}
