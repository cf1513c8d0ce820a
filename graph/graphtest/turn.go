package graphtest

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
)

// engines are the numbers of those that tests share, as many as packages are tested at a time on two cores, the number
// of the one whose schema changes, and of the one that only a test of many graphs starts.
var (
	engines   = []int{0, 1}
	alterable = []int{2}
	further   = []int{3}
)

// last is the engine that this process had last, or is to have first: its plans are warm. Each half of the rooms has one,
// as scripts/rooms.sh runs them, so that few plans are made on both.
var last atomic.Int32

func init() {
	if built, known := debug.ReadBuildInfo(); known && strings.TrimPrefix(built.Path, "nomograph/") > "f" {
		last.Store(1)
	}
}

// takeTurn waits for an engine that no other test has.
func takeTurn(ctx context.Context, dir string, numbers []int) (number int, turn *flock.Flock, err error) {
	if len(numbers) == 1 { // who can use no other comes next: a package that goes from test to test would never let it in
		next := flock.New(filepath.Join(dir, fmt.Sprintf("next%d.lock", numbers[0])))
		if _, err := next.TryLockContext(ctx, poll); err != nil {
			return 0, nil, err
		}
		defer func() { _ = next.Close() }()
	}
	for {
		for i := range numbers {
			number := numbers[(int(last.Load())+i)%len(numbers)]
			if len(numbers) > 1 && awaited(dir, number) {
				continue
			}
			turn := flock.New(filepath.Join(dir, fmt.Sprintf("turn%d.lock", number)))
			if taken, err := turn.TryLock(); err != nil || taken {
				if len(numbers) > 1 {
					last.Store(int32(number))
				}
				return number, turn, err
			}
		}
		select {
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		case <-time.After(poll):
		}
	}
}

const poll = 20 * time.Millisecond

// awaited reports whether somebody waits for this very engine.
func awaited(dir string, number int) bool {
	next := flock.New(filepath.Join(dir, fmt.Sprintf("next%d.lock", number)))
	free, err := next.TryLock()
	_ = next.Close()
	return err == nil && !free
}
