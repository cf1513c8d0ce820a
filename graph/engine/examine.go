package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
)

// Limits for deciding that an engine is unhealthy, measured on two busy cores. docs/guides/engine.md explains them to
// users.
const (
	pollInterval = time.Second
	// timeout of one query; an idle engine needs milliseconds, a busy one up to a second
	pollTimeout  = 3 * time.Second
	maxSilence   = 9 * time.Second  // three unanswered queries in a row; see silence
	firstAnswer  = 60 * time.Second // a new engine loads and compiles classes for its first query
	timeoutGrace = 2 * time.Second  // time beyond a transaction's timeout; the server itself checks every two seconds
	// After a start, clients that wait for the engine need the CPU first.
	warmUpDelay = 4 * time.Second
	planTimeout = 30 * time.Second // limit for one statement; the largest takes five seconds on an idle new engine
)

// Both are variables, because the tests of this package would wait for them with a busy core.
var (
	// CPU time after a termination request. Queries that the guard allows need at most 16 seconds on two cores with
	// the quick compiler; a query that waits for its client needs none.
	cpuAfterTermination = 25 * time.Second
	warmed              = cypher.Hot // statements that a new engine plans in the background
)

const watchedMessage = "the engine is watched"

// maxSilentTime returns how long the engine may not answer. Garbage collection of a large heap pauses it for longer.
func (o Options) maxSilentTime() time.Duration {
	return maxSilence + time.Duration(sizeOf(o.Heap)>>30)*time.Second
}

// overdueTransaction is a row of cypher.TransactionsOverdue.
type overdueTransaction struct {
	ID        string
	Told      bool
	ElapsedMS int64 `mapstructure:"elapsed_ms"`
	CPUMS     int64 `mapstructure:"cpu_ms"`
	// As reported by the caller.
	App, Operation, Statement string
	Process                   int64
}

// examine queries the engine once a second until ctx ends or the engine is unhealthy; it returns what is wrong. It
// terminates transactions that exceed their timeout, whatever started them and even if that process has ended.
func (s *server) examine(ctx context.Context) (unwell string) {
	password, err := readPassword(s.in.o)
	if err != nil {
		s.in.log.Warn().Err(err).Msg("engine has no supervisor")
		return ""
	}
	driver, err := s.driver(password)
	if err != nil {
		s.in.log.Warn().Err(err).Msg("engine has no supervisor")
		return ""
	}
	defer driver.Close(context.WithoutCancel(ctx))

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered, silence := time.Now(), firstAnswer
	reported := map[string]int64{}
	for failed := 0; ; {
		if s.in.o.isFull() {
			return "ran out of disk space"
		}
		late, err := overdueTransactions(ctx, driver)
		switch {
		case ctx.Err() != nil:
			return ""
		case Broken(err):
			return brokenMessage
		case err == nil || answers(err):
			if silence == firstAnswer {
				s.in.log.Info().Dur("after", time.Since(answered)).Msg(watchedMessage)
				if !s.in.o.Scratch {
					done := make(chan struct{})
					defer func() { cancel(); <-done }() // the warm-up must end before the driver is closed
					go func() {
						defer close(done)
						if sleep(ctx, warmUpDelay) == nil {
							s.warm(ctx, driver)
						}
					}()
				}
			}
			answered, silence, failed = time.Now(), s.in.o.maxSilentTime(), 0
			if unwell := s.end(ctx, driver, late, reported); unwell != "" {
				return unwell
			}
		default:
			if failed++; failed >= 3 && time.Since(answered) > silence {
				s.in.log.Error().Err(err).Int("looks", failed).Msg("engine not responding")
				return fmt.Sprintf("did not answer for %s", time.Since(answered).Round(time.Second))
			}
		}
		if sleep(ctx, pollInterval/max(1, time.Duration(4*failed))) != nil {
			return ""
		}
	}
}

// warm makes the server plan the statements of a first check, a first context and a first page, one after another, so
// that one core stays free. The server caches the plans for all processes.
func (s *server) warm(ctx context.Context, driver neo4j.DriverWithContext) {
	began := time.Now()
	statements := warmed()
	for _, hot := range statements {
		statement := cypher.New(hot.Name, "EXPLAIN "+hot.Text(), hot.Writes)
		if _, err := run(ctx, driver, planTimeout, statement, hot.Parameters); err != nil && ctx.Err() != nil {
			return
		}
	}
	s.in.log.Info().Int("statements", len(statements)).Dur("took", time.Since(began)).Msg("query plans warmed up")
}

// end terminates transactions that exceed their timeout. It returns a message if one continues after termination: the
// server cannot interrupt it. reported maps transaction ids to their CPU time in milliseconds when the termination was
// first seen.
func (s *server) end(ctx context.Context, driver neo4j.DriverWithContext, late []overdueTransaction,
	reported map[string]int64) (unwell string) {
	seen := map[string]int64{}
	for _, t := range late {
		log := s.in.log.Warn().Str("transaction", t.ID).Int64("elapsed_ms", t.ElapsedMS).Str("app", t.App).
			Int64("process", t.Process).Str("operation", t.Operation).Str("statement", t.Statement)
		if !t.Told {
			log.Msg("transaction past its limit; termination requested")
			if _, err := run(ctx, driver, pollTimeout, cypher.TransactionTerminate,
				map[string]any{"id": t.ID}); err != nil {
				s.in.log.Warn().Err(err).Str("transaction", t.ID).Msg("transaction termination failed")
			}
			continue
		}
		before, ok := reported[t.ID]
		if !ok {
			before = t.CPUMS
		}
		seen[t.ID] = before
		if worked := time.Duration(t.CPUMS-before) * time.Millisecond; worked > cpuAfterTermination {
			log.Dur("worked_since", worked).Msg("transaction still running after termination request")
			return "ran a query that could not be ended"
		}
	}
	clear(reported)
	maps.Copy(reported, seen)
	return ""
}

// Broken reports whether Neo4j stopped its database after a critical error, such as a full disk. It answers again
// after a restart.
func Broken(err error) bool {
	var refused *neo4j.Neo4jError
	return errors.As(err, &refused) && refused.Code == "Neo.DatabaseError.Transaction.TransactionStartFailed" &&
		strings.Contains(refused.Msg, "needs to be restarted")
}

const brokenMessage = "stopped after a critical error, such as a full disk"

// answers reports whether an error comes from the server. A database that the server cannot open counts as no answer.
func answers(err error) bool {
	var refused *neo4j.Neo4jError
	return errors.As(err, &refused) && !strings.HasSuffix(refused.Code, ".DatabaseUnavailable")
}

func overdueTransactions(ctx context.Context, driver neo4j.DriverWithContext) ([]overdueTransaction, error) {
	records, err := run(ctx, driver, pollTimeout, cypher.TransactionsOverdue,
		map[string]any{"grace": timeoutGrace.Milliseconds()})
	if err != nil {
		return nil, err
	}
	rows := make([]overdueTransaction, len(records))
	for i, record := range records {
		if err := mapstructure.Decode(record.AsMap(), &rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func run(ctx context.Context, driver neo4j.DriverWithContext, limit time.Duration, s cypher.Statement,
	p map[string]any) ([]*neo4j.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: database, AccessMode: neo4j.AccessModeRead})
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, s.Text(), p,
		neo4j.WithTxMetadata(map[string]any{"app": "nomograph", "statement": s.Name}))
	if err != nil {
		return nil, err
	}
	return result.Collect(ctx)
}
