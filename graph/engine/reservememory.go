package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"nomograph/internal/apperr"
)

// Half of the heap is for the values of large queries. It is divided into shares, each of which is a lock on a file.
// All processes of a user share it, and the operating system releases the shares of a killed process.
const (
	heapShares = 8
	// held while shares are collected, so that callers are served in order and none waits while it holds some shares
	turnLock          = "queries.lock"
	sharePollInterval = 10 * time.Millisecond
)

// ReserveMemory waits until the heap has room for bytes next to other large queries, and reserves it until leave. A
// query larger than all shares runs alone. It returns unavailable if ctx ends first.
func (l *Lease) ReserveMemory(ctx context.Context, bytes float64) (leave func(), err error) {
	l.mu.Lock()
	heap := cmp.Or(l.heap, defaultHeapAssumed)
	l.mu.Unlock()
	return reserveShares(ctx, sharesFor(bytes, heap), func(name string) heapShare { return l.o.lock(name) })
}

// defaultHeapAssumed is the assumed heap of a server that does not report it.
const defaultHeapAssumed = "512m"

// MemoryReservations limits the memory of large queries within one process, as Lease.ReserveMemory does across
// processes. Use it for a server without a lease. The zero value is ready to use.
type MemoryReservations struct{ taken sync.Map }

// ReserveMemory is like Lease.ReserveMemory.
func (r *MemoryReservations) ReserveMemory(ctx context.Context, bytes float64) (leave func(), err error) {
	return reserveShares(ctx, sharesFor(bytes, defaultHeapAssumed),
		func(name string) heapShare { return &inMemory{rooms: r, name: name} })
}

func sharesFor(bytes float64, heap string) int {
	return int(min(heapShares, max(1, math.Ceil(bytes*2*heapShares/float64(sizeOf(heap))))))
}

// heapShare is a lock on a file, or on a name within a process.
type heapShare interface {
	TryLock() (bool, error)
	Close() error
}

type inMemory struct {
	rooms *MemoryReservations
	name  string
	mine  bool
}

func (m *inMemory) TryLock() (bool, error) {
	_, ok := m.rooms.taken.LoadOrStore(m.name, true)
	m.mine = !ok
	return m.mine, nil
}

func (m *inMemory) Close() error {
	if m.mine {
		m.rooms.taken.Delete(m.name)
	}
	return nil
}

func reserveShares(ctx context.Context, needed int, lock func(name string) heapShare) (leave func(), err error) {
	var held []heapShare
	leave = func() {
		for _, s := range held {
			_ = s.Close()
		}
	}
	take := func(name string) (heapShare, error) {
		s := lock(name)
		locked, err := s.TryLock()
		if err != nil {
			return nil, apperr.New(apperr.Unavailable, "Cannot lock the slot for large queries").
				WithHint("Check that the engine's folder is writable; `nomograph engine path` shows it").Because(err)
		}
		if !locked {
			_ = s.Close()
			return nil, nil
		}
		return s, nil
	}
	var share heapShare
	for len(held) < needed {
		if share == nil {
			if share, err = take(turnLock); err != nil {
				return nil, err
			} else if share != nil {
				defer func() { _ = share.Close() }()
			}
		}
		for i := 0; share != nil && i < heapShares && len(held) < needed; i++ {
			s, err := take(fmt.Sprintf("query-%d.lock", i))
			if err != nil {
				leave()
				return nil, err
			}
			if s != nil {
				held = append(held, s)
			}
		}
		if len(held) < needed && sleep(ctx, sharePollInterval) != nil {
			leave()
			return nil, apperr.New(apperr.Unavailable, "Other large queries use the available memory").
				WithHint("Try again later, or return less: UNWIND with LIMIT instead of one large value").
				Because(context.Cause(ctx))
		}
	}
	return leave, nil
}
