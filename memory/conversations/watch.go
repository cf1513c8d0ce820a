package conversations

import (
	"context"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/memory/transcripts"
)

// scanInterval is the interval between two scans for changed files.
const scanInterval = 3 * time.Second

// version identifies the state of a file.
type version struct {
	size    int64
	changed time.Time
}

// Watch imports a file or folder and then its changes, until ctx ends, which is not an error. It retries while the
// database is unavailable. It returns the sum of all imports. heard, which may be nil, is called after each import that
// changed chunks.
func (s *Store) Watch(ctx context.Context, path string, o Options, heard func(Imported)) (Imported, error) {
	sum := Imported{DryRun: o.DryRun}
	seen := map[string]version{}
	for {
		err := s.since(ctx, path, o, seen, &sum, heard)
		switch {
		case ctx.Err() != nil:
			return sum, nil //nolint:nilerr // ending the watch is not an error
		case err != nil && !apperr.Is(err, apperr.Unavailable) && !apperr.Is(err, apperr.QueryTimeout) &&
			!apperr.Is(err, apperr.Conflict):
			return sum, err
		case err != nil:
			s.log.Warn().Err(err).Str("path", path).Msg("conversation import delayed")
		}
		select {
		case <-ctx.Done():
			return sum, nil
		case <-time.After(scanInterval):
		}
	}
}

// since imports the files that changed since seen, and updates seen and sum.
func (s *Store) since(ctx context.Context, path string, o Options, seen map[string]version, sum *Imported,
	heard func(Imported)) error {
	files, err := transcripts.Files(path)
	if err != nil {
		return readError(path, err)
	}
	var fresh []transcripts.File
	for _, f := range files {
		if seen[f.Path] != (version{f.Size, f.Changed}) {
			fresh = append(fresh, f)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return err
	}
	out, err := s.read(ctx, fresh, o)
	if err != nil {
		return err
	}
	for _, f := range fresh {
		seen[f.Path] = version{f.Size, f.Changed}
	}
	sum.join(out)
	if out.ChunksCreated+out.ChunksChanged+out.ChunksRemoved > 0 {
		progress.Say(ctx, out.line())
		if heard != nil {
			heard(out)
		}
	}
	return nil
}

// join adds the counts of a later import.
func (i *Imported) join(o Imported) {
	i.Files, i.Conversations, i.New, i.Grown, i.Unchanged = i.Files+o.Files, i.Conversations+o.Conversations,
		i.New+o.New, i.Grown+o.Grown, i.Unchanged+o.Unchanged
	i.ChunksCreated, i.ChunksChanged, i.ChunksRemoved = i.ChunksCreated+o.ChunksCreated,
		i.ChunksChanged+o.ChunksChanged, i.ChunksRemoved+o.ChunksRemoved
	i.SkippedCount += o.SkippedCount
	i.Skipped = append(i.Skipped, o.Skipped[:min(len(o.Skipped), maxSkipped-len(i.Skipped))]...)
}
