package cases

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Scratch returns a graph whose content may be deleted, and a function that releases it.
type Scratch func(ctx context.Context) (*graph.DB, func(), error)

// ScratchEngine returns a function that starts a managed engine with these options and returns its graph. Only test
// cases use the engine, one process at a time.
func ScratchEngine(o engine.Options, log zerolog.Logger) Scratch {
	return func(ctx context.Context) (*graph.DB, func(), error) {
		db, done, err := takeScratch(ctx, o, log)
		if err != nil {
			described := apperr.From(err)
			return nil, nil, described.WithHint("%s. Or set `without_graph`, which leaves out the cases that have a graph", described.Hint)
		}
		return db, done, nil
	}
}

func takeScratch(ctx context.Context, o engine.Options, log zerolog.Logger) (*graph.DB, func(), error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, nil, apperr.Newf(apperr.Unavailable, "Cannot write %s", o.Dir).
			WithHint("Test cases need this folder for their scratch database").Because(err)
	}
	lock := flock.New(filepath.Join(o.Dir, "turn.lock"))
	if locked, _ := lock.TryLock(); !locked {
		progress.Say(ctx, "Waiting for another test run with graph cases")
		if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			return nil, nil, apperr.New(apperr.Unavailable, "Another test run uses the scratch database").
				WithHint("Try again when that run is finished").Because(err)
		}
	}
	db := graph.Open(graph.Options{Engine: o, Migrate: true, Log: log})
	done := func() {
		_ = db.Close(context.WithoutCancel(ctx))
		_ = lock.Close()
	}
	if _, err := db.Connect(ctx); err != nil {
		done()
		return nil, nil, err
	}
	return db, done, nil
}
