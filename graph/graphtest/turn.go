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

// Numbers of engines.
var (
	engines   = []int{0, 1} // shared by most tests; two cores test two packages at a time
	alterable = []int{2}    // for tests that change the schema
)

// last is the number of the engine that this process used last, whose query plans are cached. Packages up to "f" begin
// with one engine and later ones with the other, as scripts/packages.sh runs them, so that few plans are made twice.
var last atomic.Int32

func init() {
	if built, ok := debug.ReadBuildInfo(); ok && strings.TrimPrefix(built.Path, "nomograph/") > "f" {
		last.Store(1)
	}
}

// takeTurn waits for an engine that no other test uses, and locks it.
func takeTurn(ctx context.Context, dir string, numbers []int) (number int, lock *flock.Flock, err error) {
	if len(numbers) == 1 { // no other engine can serve this test: reserve the next turn, or a package with many tests would always take it again
		next := flock.New(filepath.Join(dir, fmt.Sprintf("next%d.lock", numbers[0])))
		if _, err := next.TryLockContext(ctx, poll); err != nil {
			return 0, nil, err
		}
		defer func() { _ = next.Close() }()
	}
	for {
		for i := range numbers {
			number := numbers[(int(last.Load())+i)%len(numbers)]
			if len(numbers) > 1 && isAwaited(dir, number) {
				continue
			}
			turn := flock.New(filepath.Join(dir, fmt.Sprintf("turn%d.lock", number)))
			if locked, err := turn.TryLock(); err != nil || locked {
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

// isAwaited reports whether another test waits for this engine and can use no other.
func isAwaited(dir string, number int) bool {
	next := flock.New(filepath.Join(dir, fmt.Sprintf("next%d.lock", number)))
	free, err := next.TryLock()
	_ = next.Close()
	return err == nil && !free
}
