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

// Options says which database to use and what to do at the first connection.
type Options struct {
	URI, Username, Password, Database string // an empty URI means the managed engine
	Engine                            engine.Options
	// Migrate brings the schema up to date at connect. Where the user may not, reading goes on and the log says so.
	Migrate bool
	// Mend makes indexes and constraints again that somebody dropped: with Migrate, and one more round trip at connect.
	Mend bool
	// FirstStart runs once on the managed engine when its graph holds nothing, after the migration.
	FirstStart func(ctx context.Context, db *DB) error
	Log        zerolog.Logger
}

// DB is a database that may still be starting. It is safe for concurrent use.
type DB struct {
	// Watches are told of every statement; they may be set until the database is first used.
	Watches []StatementObserver

	options Options
	current atomic.Pointer[connection]
	life    context.Context
	end     context.CancelFunc

	rooms      engine.Rooms   // for large queries, where the engine's own do not count
	background sync.WaitGroup // what goes on after a call was answered; it ends with life
	uses       atomic.Int64   // calls under way: the driver must not be closed under them
	waited     atomic.Int64   // those of them that somebody waits for: see Behind
	losses     atomic.Int64   // see Losses
	beats      commitPoller

	mu      sync.Mutex
	attempt *connectAttempt
	lease   *engine.Lease
}

// Server describes the Neo4j behind a connection.
type Server struct {
	URI      string `json:"uri"`
	Database string `json:"database,omitempty"`
	Version  string `json:"version"`
	Edition  string `json:"edition"`
	Managed  bool   `json:"managed"`
	// Migration is the newest migration that the graph has had; 0 where it was never migrated.
	Migration    int          `json:"migration"`
	Capabilities Capabilities `json:"-"`
}

type connection struct {
	driver    neo4j.DriverWithContext
	watches   []StatementObserver
	bookmarks neo4j.BookmarkManager
	server    Server
	cold      time.Time // until when its server compiles and plans whatever it is asked; zero where it was warm
}

// connectAttempt is one try at connecting, which every call that needs the database waits for.
type connectAttempt struct {
	done       chan struct{}
	connection *connection
	err        error
	step       atomic.Pointer[progress.Step]
}

// Open gives a database without waiting for it. Call Connect to begin before the first call needs it.
func Open(o Options) *DB {
	life, end := context.WithCancel(context.Background())
	return &DB{options: o, life: life, end: end}
}

// Managed tells whether the database is the managed engine.
func (db *DB) Managed() bool { return db.options.URI == "" }

// Begin starts connecting in the background.
func (db *DB) Begin() { db.begin() }

// Connect waits until the database answers and is migrated. It returns an unavailable fault that says what to do, or a
// conflict where the graph was migrated by a newer Nomograph.
func (db *DB) Connect(ctx context.Context) (Server, error) {
	c, err := db.connection(ctx)
	if err != nil {
		return Server{}, err
	}
	return c.server, nil
}

// Close ends connections and gives the engine's lease back.
func (db *DB) Close(ctx context.Context) error {
	db.end()
	db.mu.Lock()
	pending := db.attempt
	db.mu.Unlock()
	if pending != nil {
		<-pending.done
	}
	db.background.Wait()
	for deadline := time.Now().Add(lastCalls); db.uses.Load() > 0 && time.Now().Before(deadline); {
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

// lastCalls is how long Close waits for calls that nobody cancelled.
const lastCalls = 5 * time.Second

// enter counts a call until leave. It refuses calls on a database that was closed.
func (db *DB) enter(ctx context.Context) (leave func(), err error) {
	waited := int64(1)
	if ctx.Value(behind{}) != nil {
		waited = 0
	}
	db.uses.Add(1)
	db.waited.Add(waited)
	leave = func() { db.waited.Add(-waited); db.uses.Add(-1) }
	if db.life.Err() != nil {
		leave()
		return nil, apperr.New(apperr.Unavailable, "The database was closed").WithHint("The program is ending")
	}
	return leave, nil
}

// connection gives the connection, made where there is none. A server that has just started plans for seconds what it is asked first: calls that
// nobody waits for let the others be first.
func (db *DB) connection(ctx context.Context) (*connection, error) {
	c, err := db.connected(ctx)
	if err == nil && ctx.Value(behind{}) != nil {
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
	// A caller is told what the shared attempt is busy with, whenever that changes.
	var told *progress.Step
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-a.done:
			return a.connection, a.err
		case <-ctx.Done():
			return nil, AsError(ctx.Err())
		case <-ticker.C:
			if step := a.step.Load(); step != nil && step != told {
				told = step
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
			db.options.Log.Info().Err(a.err).AnErr("cause", errors.Unwrap(a.err)).Msg("the database is not available")
		}
		db.attempt = nil
		db.mu.Unlock()
		close(a.done)
	}()
	return a
}

// ConnectionLosses counts how often the connection was found dead. A server that is there again after a loss may have started anew, and
// plans whatever it is asked first for seconds.
func (db *DB) ConnectionLosses() int64 { return db.losses.Load() }

// connectionLosses drops a connection that failed. The driver to another server heals itself; the managed engine may come back at
// another port, so it is asked for anew.
func (db *DB) connectionLosses(c *connection) {
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
	calm    = 30 * time.Millisecond // between two calls of one who waits for answers may lie less
	looking = 5 * time.Millisecond
)

type behind struct{}

// InBackground marks calls that nobody waits for: Quiet does not wait for them either, and on a server that has just started they wait for quiet.
func InBackground(ctx context.Context) context.Context { return context.WithValue(ctx, behind{}, true) }

// WaitUntilIdle waits until nobody has asked the database for a moment, most is over or stop is closed, whichever is first: for work behind
// answers, which would take the processors from whoever waits for one.
func (db *DB) WaitUntilIdle(most time.Duration, stop <-chan struct{}) {
	tick := time.NewTicker(looking)
	defer tick.Stop()
	for begun, since := time.Now(), time.Now(); time.Since(begun) < most && time.Since(since) < calm; {
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
