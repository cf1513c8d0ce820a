package graph

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	feedPause   = time.Second
	feedOverlap = 2 * time.Minute // nothing is committed so long after the time that it bears, whatever the clocks of those who write
)

// Feed tells of what is recorded from now on, each once, oldest first. Once a second it asks whether anything was committed, and only
// then reads: what is younger than the last reading, and a stretch before it, since what was begun earlier may be committed later. It
// remembers what it told of that stretch and nothing else.
type Feed[T any] struct {
	Read func(ctx context.Context, after time.Time) ([]T, error) // all that bear a later time
	Key  func(T) (id string, at time.Time)
}

// Follow tells until the context ends, which is its good end, or tell returns an error. away hears once when the database cannot be read;
// what is recorded meanwhile is told when it can be again.
func (f Feed[T]) Follow(ctx context.Context, db *DB, tell func(T) error, away func(error)) error {
	seen := map[string]time.Time{}
	read, bookmark, gone := time.Now().UTC(), "", false
	look := func(first bool) error {
		now := time.Now().UTC()
		pulse, err := db.Pulse(ctx)
		if err != nil || pulse != "" && pulse == bookmark {
			return err
		}
		items, err := f.Read(ctx, read.Add(-feedOverlap))
		if err != nil {
			return err
		}
		slices.SortStableFunc(items, func(a, b T) int {
			_, at := f.Key(a)
			_, other := f.Key(b)
			return at.Compare(other)
		})
		for _, item := range items {
			id, at := f.Key(item)
			if _, told := seen[id]; !told && !first {
				if err := tell(item); err != nil {
					return stopped{err}
				}
			}
			seen[id] = at
		}
		read, bookmark = now, pulse
		for id, at := range seen {
			if at.Before(read.Add(-2 * feedOverlap)) {
				delete(seen, id)
			}
		}
		return nil
	}
	if err := look(true); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(feedPause):
		}
		err := look(false)
		var stop stopped
		if errors.As(err, &stop) {
			return stop.error
		}
		if err != nil && ctx.Err() == nil && !gone {
			away(err)
		}
		gone = err != nil
	}
}

// stopped is an error of the listener's.
type stopped struct{ error }
