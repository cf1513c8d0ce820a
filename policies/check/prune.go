package check

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/progress"
)

// PruneRequest asks to delete old verdicts.
type PruneRequest struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
}

// Pruned says how many verdicts were deleted, or would be.
type Pruned struct {
	DryRun     bool `json:"dry_run"`
	Allowed    int  `json:"allowed"`
	Denied     int  `json:"denied"`
	Executions int  `json:"executions" jsonschema:"number of executed tool calls, which are stored as long as verdicts that allowed"`
}

const pruneBatch = 5000

// Prune deletes the verdicts older than Settings allow, in batches, after adding each to the counts of its day
// (VerdictTally). Verdicts on recorded decisions and
// appealed verdicts remain.
func (s *Store) Prune(ctx context.Context, r PruneRequest) (Pruned, error) {
	pruned := Pruned{DryRun: r.DryRun}
	for _, kind := range []struct {
		allowed bool
		keep    time.Duration
		count   *int
	}{{true, s.Settings.KeepAllowed, &pruned.Allowed}, {false, s.Settings.KeepDenied, &pruned.Denied}} {
		if kind.keep <= 0 {
			continue
		}
		params := graph.Params{"allowed": kind.allowed, "before": graph.UTC(time.Now().Add(-kind.keep)), "batch": pruneBatch}
		for {
			statement := cypher.VerdictsPrune
			if r.DryRun {
				statement = cypher.VerdictsOld
			}
			got, err := graph.Append[struct{ Deleted int }](ctx, s.graph, statement, params)
			if err != nil {
				return pruned, err
			}
			*kind.count += got.Deleted
			if r.DryRun || got.Deleted < pruneBatch {
				break
			}
			progress.Report(ctx, progress.Step{Message: "Deleting old verdicts", Done: int64(pruned.Allowed + pruned.Denied)})
		}
	}
	if s.Settings.KeepAllowed <= 0 {
		return pruned, nil
	}
	params := graph.Params{"before": graph.UTC(time.Now().Add(-s.Settings.KeepAllowed)), "batch": pruneBatch}
	for {
		statement := cypher.ExecutionsPrune
		if r.DryRun {
			statement = cypher.ExecutionsOld
		}
		got, err := graph.Append[struct{ Deleted int }](ctx, s.graph, statement, params)
		if err != nil {
			return pruned, err
		}
		if pruned.Executions += got.Deleted; r.DryRun || got.Deleted < pruneBatch {
			return pruned, nil
		}
	}
}

const (
	firstPrune = 10 * time.Minute // a short-lived server has not grown the graph by much
	pruneEvery = 6 * time.Hour
)

// PruneRegularly prunes until ctx ends and reports each run. Several servers of one graph do not disturb each other.
func (s *Store) PruneRegularly(ctx context.Context, notify func(Pruned, error)) {
	pause := firstPrune
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		notify(s.Prune(ctx, PruneRequest{}))
		pause = pruneEvery
	}
}
