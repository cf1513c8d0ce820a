package graph

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/graph/engine"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// Options name the database and what to do at the first connection.
type Options struct {
	URI, Username, Password, Database string // an empty URI means the managed engine
	Engine                            engine.Options
	// Migrate applies migrations when connecting. If the user may not change the schema, reading continues and the log
	// says so.
	Migrate bool
	// RestoreSchema restores dropped indexes and constraints: with Migrate, one more round trip when connecting.
	// Servers do it.
	RestoreSchema bool
	// FirstStart runs once after the migration if the managed engine's graph is empty.
	FirstStart func(ctx context.Context, db *DB) error
	Log        zerolog.Logger
}

// DB is a database. It may still be starting. It is safe for concurrent use.
type DB struct {
	// Watches observe every statement; they are set before the database is first used.
	Watches []StatementObserver

	options Options
	current atomic.Pointer[connection]
	life    context.Context
	end     context.CancelFunc

	large      chan struct{}  // holds the large query that runs, if the engine is not managed
	background sync.WaitGroup // work that continues after the answer; ends with life
	uses       atomic.Int64   // running calls: the driver must not be closed during them
	waited     atomic.Int64   // running calls that somebody waits for, see InBackground
	losses     atomic.Int64   // see ConnectionLosses
	commits    commitPoller

	mu      sync.Mutex
	attempt *connectAttempt
	lease   *engine.Lease
}

// Server describes the Neo4j behind a connection.
type Server struct {
	URI      string `json:"uri"`
	Database string `json:"database,omitempty"`
	Version  string `json:"version"`
	Managed  bool   `json:"managed"`
	// Migration is the newest applied migration; 0 if there is none.
	Migration int `json:"migration"`
}

type connection struct {
	driver    neo4j.DriverWithContext
	watches   []StatementObserver
	bookmarks neo4j.BookmarkManager
	server    Server
	cold      time.Time // until when a new server compiles and plans; zero for a warm server

	unanswered atomic.Int32 // see hangs
}

// connectAttempt is one attempt to connect, shared by all waiting calls.
type connectAttempt struct {
	done       chan struct{}
	connection *connection
	err        error
	step       atomic.Pointer[progress.Step]
}

// Open returns a database without connecting. Connect or Begin connect before the first call does.
func Open(o Options) *DB {
	life, end := context.WithCancel(context.Background())
	return &DB{options: o, life: life, end: end, large: make(chan struct{}, 1)}
}

// Managed reports whether the database is the managed engine.
func (db *DB) Managed() bool { return db.options.URI == "" }

// Begin starts connecting in the background.
func (db *DB) Begin() { db.begin() }

// Connect waits until the database answers and is migrated. It returns unavailable with a hint, or a conflict if a
// newer Nomograph migrated the graph.
func (db *DB) Connect(ctx context.Context) (Server, error) {
	c, err := db.connection(ctx)
	if err != nil {
		return Server{}, err
	}
	return c.server, nil
}

// Close closes connections and releases the engine's lease.
func (db *DB) Close(ctx context.Context) error {
	db.end()
	db.mu.Lock()
	pending := db.attempt
	db.mu.Unlock()
	if pending != nil {
		<-pending.done
	}
	db.background.Wait()
	for deadline := time.Now().Add(closeTimeout); db.uses.Load() > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	var errs []error
	if c := db.current.Swap(nil); c != nil {
		errs = append(errs, c.driver.Close(ctx))
	}
	if db.lease != nil {
		errs = append(errs, db.lease.Release())
	}
	return errors.Join(errs...)
}

// closeTimeout is how long Close waits for running calls.
const closeTimeout = 5 * time.Second

// enter counts a call until leave. It refuses calls on a closed database.
func (db *DB) enter(ctx context.Context) (leave func(), err error) {
	waited := int64(1)
	if IsBackground(ctx) {
		waited = 0
	}
	db.uses.Add(1)
	db.waited.Add(waited)
	leave = func() { db.waited.Add(-waited); db.uses.Add(-1) }
	if db.life.Err() != nil {
		leave()
		return nil, apperr.New(apperr.Unavailable, "The database connection is closed").
			WithHint("The program is stopping; start it again")
	}
	return leave, nil
}

// connection returns the connection and connects if there is none. A server that has just started plans its first
// queries for seconds, so background calls let others go first.
func (db *DB) connection(ctx context.Context) (*connection, error) {
	c, err := db.connected(ctx)
	if err == nil && IsBackground(ctx) {
		if left := time.Until(c.cold); left > 0 {
			db.WaitUntilIdle(left, ctx.Done())
		}
	}
	return c, err
}

func (db *DB) connected(ctx context.Context) (*connection, error) {
	if c := db.current.Load(); c != nil {
		return c, nil
	}
	a := db.begin()
	// Report the progress of the shared attempt whenever it changes.
	var reported *progress.Step
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-a.done:
			return a.connection, a.err
		case <-ctx.Done():
			return nil, AsError(ctx.Err())
		case <-ticker.C:
			if step := a.step.Load(); step != nil && step != reported {
				reported = step
				progress.Report(ctx, *step)
			}
		}
	}
}

func (db *DB) begin() *connectAttempt {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.attempt != nil {
		return db.attempt
	}
	a := &connectAttempt{done: make(chan struct{})}
	db.attempt = a
	go func() {
		ctx := progress.Listen(db.life, func(step progress.Step) {
			a.step.Store(&step)
			db.options.Log.Info().Int64("done", step.Done).Int64("total", step.Total).Msg(step.Message)
		})
		a.connection, a.err = db.connect(ctx)
		db.mu.Lock()
		if a.err == nil {
			db.current.Store(a.connection)
		} else if db.life.Err() == nil {
			db.options.Log.Info().Err(a.err).AnErr("cause", errors.Unwrap(a.err)).Msg("database unavailable")
		}
		db.attempt = nil
		db.mu.Unlock()
		close(a.done)
	}()
	return a
}

// ConnectionLosses counts lost connections. After a loss the server may have restarted, and then plans its first
// queries for seconds.
func (db *DB) ConnectionLosses() int64 { return db.losses.Load() }

// dropConnection drops a failed connection. The driver to another server recovers by itself; the managed engine may
// return at another port, so its address is read again.
func (db *DB) dropConnection(c *connection) {
	db.losses.Add(1)
	if !db.Managed() {
		return
	}
	if db.current.CompareAndSwap(c, nil) {
		db.background.Go(func() { _ = c.driver.Close(context.Background()) })
	}
}

func routed(uri string) bool { return strings.HasPrefix(uri, "neo4j") }

const (
	idleAfter        = 30 * time.Millisecond // a waiting caller makes its next call sooner
	idlePollInterval = 5 * time.Millisecond
)

type backgroundKey struct{}

// InBackground marks calls that nobody waits for: WaitUntilIdle ignores them, and on a server that has just started
// they wait until it is idle.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// IsBackground reports whether nobody waits for a call; see InBackground.
func IsBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// WaitUntilIdle waits until no call was made for a moment, until limit is over, or until stop is closed.
// Background work calls it so that it does not take the processor from callers.
func (db *DB) WaitUntilIdle(limit time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(idlePollInterval)
	defer tick.Stop()
	for started, since := time.Now(), time.Now(); time.Since(started) < limit && time.Since(since) < idleAfter; {
		select {
		case <-tick.C:
		case <-stop:
			return
		}
		if db.waited.Load() > 0 {
			since = time.Now()
		}
	}
}
