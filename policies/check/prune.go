package check

import (
	"context"
	"fmt"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/render"
)

// PruneRequest asks to delete old verdicts and executions.
type PruneRequest struct {
	DryRun  *bool  `json:"dry_run,omitempty" jsonschema:"count only, delete nothing" rule:"default=true"`
	Confirm *int64 `json:"confirm,omitempty" jsonschema:"number of verdicts and executed tool calls that the dry run found; required to delete more than ten" rule:"minimum=0"`
}

// Pruned says how many verdicts were deleted, or would be.
type Pruned struct {
	DryRun     bool   `json:"dry_run"`
	Allowed    int    `json:"allowed"`
	Denied     int    `json:"denied"`
	Executions int    `json:"executions" jsonschema:"number of executed tool calls, which are stored as long as verdicts that allowed an action"`
	Note       string `json:"note,omitempty" jsonschema:"how to delete the counted records after a dry run"`
}

const (
	pruneBatch       = 5000
	pruneUnconfirmed = 10
)

// Prune counts the verdicts and executions older than Settings allow, and deletes them unless r is a dry run. It
// returns a conflict with their number if that is over ten and r does not confirm it.
func (s *Store) Prune(ctx context.Context, r PruneRequest) (Pruned, error) {
	pruned, err := s.prune(ctx, true)
	if err != nil {
		return pruned, err
	}
	count := int64(pruned.Allowed + pruned.Denied + pruned.Executions)
	unconfirmed := count > pruneUnconfirmed && (r.Confirm == nil || *r.Confirm != count)
	switch {
	case count == 0:
		pruned.DryRun = r.DryRun == nil || *r.DryRun
		pruned.Note = "Nothing has expired"
	case r.DryRun == nil || *r.DryRun:
		pruned.Note = "Nothing was deleted yet: repeat this without a dry run"
		if count > pruneUnconfirmed {
			pruned.Note += fmt.Sprintf(" and confirm %d", count)
		}
	case unconfirmed:
		return pruned, apperr.Newf(apperr.Conflict, "Nothing was deleted: deleting %s and %s needs confirmation",
			render.Plural(int64(pruned.Allowed+pruned.Denied), "verdict"),
			render.Plural(int64(pruned.Executions), "executed tool call")).
			WithHint("Review the counts of `dry_run`, then pass %d as `confirm`", count).With("confirm", count)
	default:
		return s.prune(ctx, false)
	}
	return pruned, nil
}

// prune deletes the verdicts and executions older than Settings allow, in batches. Each verdict is first added to the
// counts of its day (VerdictTally). Verdicts on recorded decisions and appealed verdicts remain.
func (s *Store) prune(ctx context.Context, dryRun bool) (Pruned, error) {
	pruned := Pruned{DryRun: dryRun}
	for _, kind := range []struct {
		allowed     bool
		retention   time.Duration
		old, delete cypher.Statement
		count       *int
	}{{true, s.Settings.AllowedRetention, cypher.VerdictsOld, cypher.VerdictsPrune, &pruned.Allowed},
		{false, s.Settings.DeniedRetention, cypher.VerdictsOld, cypher.VerdictsPrune, &pruned.Denied},
		{true, s.Settings.AllowedRetention, cypher.ExecutionsOld, cypher.ExecutionsPrune, &pruned.Executions}} {
		if dryRun {
			kind.delete = kind.old
		}
		for more := kind.retention > 0; more; {
			got, err := graph.Append[struct{ Deleted int }](ctx, s.graph, kind.delete,
				graph.Params{"allowed": kind.allowed,
					"before": graph.UTC(time.Now().Add(-kind.retention)), "batch": pruneBatch})
			if err != nil {
				return pruned, err
			}
			*kind.count += got.Deleted
			if more = !dryRun && got.Deleted == pruneBatch; more {
				progress.Report(ctx, progress.Step{Message: "Deleting old verdicts",
					Done: int64(pruned.Allowed + pruned.Denied)})
			}
		}
	}
	return pruned, nil
}

const (
	firstPrune = 10 * time.Minute // a short-lived server has not grown the graph by much
	pruneEvery = 6 * time.Hour
)

// PruneRegularly prunes until ctx ends and reports each run. Several servers may prune one graph concurrently.
func (s *Store) PruneRegularly(ctx context.Context, notify func(Pruned, error)) {
	pause := firstPrune
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		notify(s.prune(ctx, false))
		pause = pruneEvery
	}
}
