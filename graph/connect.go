package graph

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"nomograph/cypher"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/retry"
)

const (
	connectTimeout = 5 * time.Second
	retryTime      = 5 * time.Second // for transactions that fail, such as by a deadlock
	readTimeout    = 30 * time.Second
	// a server whose first answer takes longer has just started; a warm one needs a tenth of it
	coldAnswer = 300 * time.Millisecond
	coldFor    = 6 * time.Second
)

// oldestServer is the oldest supported version, an LTS release.
var oldestServer = [2]int{5, 26}

// connect retries if the managed engine ended during the connection.
func (db *DB) connect(ctx context.Context) (*connection, error) {
	return retry.Do(ctx, retry.Policy{Attempts: 3}, func() (*connection, error) {
		c, err := db.dial(ctx)
		if db.lease == nil || db.lease.Answers() {
			err = retry.Stop(err)
		}
		return c, err
	})
}

func (db *DB) dial(ctx context.Context) (*connection, error) {
	endpoint, err := db.endpoint(ctx)
	if err != nil {
		return nil, err
	}
	driver, err := neo4j.NewDriverWithContext(endpoint.URI, neo4j.BasicAuth(endpoint.Username, endpoint.Password, ""),
		func(c *config.Config) {
			c.SocketConnectTimeout = connectTimeout
			c.ConnectionAcquisitionTimeout = connectTimeout
			c.UserAgent = "nomograph"
			c.TelemetryDisabled = true
			if db.Managed() { // other servers may be too old for this setting, and their version is not known yet
				// nothing reads notifications, and they make each answer longer
				c.NotificationsMinSeverity = notifications.DisabledLevel
			}
		})
	if err != nil {
		return nil, apperr.Newf(apperr.Unavailable, "NEO4J_URI %q is not a Neo4j address", shownURI(endpoint.URI)).
			WithHint("Use neo4j://host:7687, bolt://host:7687, or either with +s").Because(err)
	}
	c := &connection{driver: driver, watches: db.Watches,
		server: Server{URI: shownURI(endpoint.URI), Database: endpoint.Database, Managed: db.Managed()}}
	if routed(endpoint.URI) {
		c.bookmarks = neo4j.NewBookmarkManager(neo4j.BookmarkManagerConfig{})
	}
	if err := db.prepare(ctx, c); err != nil {
		_ = driver.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return c, nil
}

func (db *DB) endpoint(ctx context.Context) (engine.Endpoint, error) {
	o := db.options
	if !db.Managed() {
		return engine.Endpoint{URI: o.URI, Username: o.Username, Password: o.Password, Database: o.Database}, nil
	}
	if db.lease != nil {
		return db.lease.Revive(ctx)
	}
	lease, err := engine.Acquire(ctx, o.Engine)
	if err != nil {
		return engine.Endpoint{}, err
	}
	db.lease = lease
	return lease.Endpoint(), nil
}

// prepare reads the version and capabilities of the server and migrates the graph if requested.
func (db *DB) prepare(ctx context.Context, c *connection) error {
	started := time.Now()
	ask := c.probe
	if db.Managed() {
		ask = func(ctx context.Context) (probe, error) { return repeatProbe(ctx, c.probe, db.lease.Answers) }
	}
	found, err := ask(ctx)
	if err != nil {
		return connectError(err, c.server)
	}
	if time.Since(started) > coldAnswer {
		c.cold = time.Now().Add(coldFor)
	}
	if err := checkVersion(found.Version); err != nil {
		return err
	}
	c.server.Version = found.Version
	if c.server.Migration, err = compare(found.Ledger); err != nil {
		return err
	}
	if !db.options.Migrate {
		return nil
	}
	if newest := NewestMigration(); c.server.Migration < newest {
		progress.Say(ctx, "Migrating the graph's schema")
		if err := migrate(ctx, c); err != nil {
			if apperr.Is(err, apperr.PermissionDenied) {
				db.options.Log.Warn().Msg("schema not migrated: missing permission; reads may be slower")
				return nil
			}
			return err
		}
		c.server.Migration = newest
	} else if db.options.RestoreSchema {
		if err := c.restoreSchema(ctx); err != nil {
			db.options.Log.Warn().Err(err).Msg("index missing and not recreated; search may be incomplete")
		}
	}
	// This also repeats a first start that ended after the schema and before the pack.
	if db.Managed() && found.Empty && db.options.FirstStart != nil {
		db.current.Store(c)
		defer db.current.Store(nil)
		return db.options.FirstStart(ctx, db)
	}
	return nil
}

type probe struct {
	Version string
	Ledger  []applied
	Empty   bool
}

func (c *connection) probe(ctx context.Context) (probe, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*connectTimeout)
	defer cancel()
	rows, summary, err := c.runSummarized(ctx, cypher.Probe, nil)
	if err != nil {
		return probe{}, err
	}
	var found probe
	err = decode(rows[0], &found)
	found.Version = strings.TrimPrefix(summary.Server().Agent(),
		"Neo4j/") // dbms.components() says the same and takes 2 ms
	return found, err
}

// firstAnswer is the maximum time for the first answer of the managed engine after its start. It is long because the
// machine may be busy.
const firstAnswer = time.Minute

// repeatProbe repeats an unanswered probe while the engine runs.
func repeatProbe(ctx context.Context, ask func(context.Context) (probe, error), running func() bool) (found probe,
	err error) {
	const pause = 100 * time.Millisecond
	return retry.Do(ctx, retry.Policy{First: pause, Max: pause, Elapsed: firstAnswer}, func() (probe, error) {
		found, err := ask(ctx)
		if !connectivity(err) && !apperr.Is(err, apperr.Unavailable) || !running() {
			err = retry.Stop(err)
		}
		return found, err
	})
}

// checkVersion accepts versions such as 5.26.30, 2026.08.1 and 2026.08-aura.
func checkVersion(version string) error {
	if atLeast(version, oldestServer) {
		return nil
	}
	return apperr.Newf(apperr.Unavailable, "The server is Neo4j %q; Nomograph needs 5.26 or newer", version).
		WithHint("Upgrade it to 5.26 LTS, or unset NEO4J_URI to use the managed engine")
}

// atLeast compares the first two numbers of a version.
func atLeast(version string, minimum [2]int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, err1 := strconv.Atoi(parts[0])
	minor, err2 := strconv.Atoi(strings.SplitN(parts[1], "-", 2)[0])
	return err1 == nil && err2 == nil && (major > minimum[0] || major == minimum[0] && minor >= minimum[1])
}

// connectError returns the error for a server that cannot be reached or that refuses the login.
func connectError(err error, at Server) error {
	switch {
	case hasCode(err, "Neo.ClientError.Security.Unauthorized", "Neo.ClientError.Security.AuthenticationRateLimit"):
		return apperr.Newf(apperr.Unavailable, "The database at %s refused the user name or password", at.URI).
			WithHint("Check NEO4J_USERNAME and NEO4J_PASSWORD. Neo4j locks out for some seconds after several wrong attempts").Because(err)
	case hasCode(err, "Neo.ClientError.Database.DatabaseNotFound"):
		return apperr.Newf(apperr.Unavailable, "Database %q not found at %s", at.Database, at.URI).
			WithHint("Check NEO4J_DATABASE, or leave it empty for the default database").Because(err)
	case hasCode(err, "Neo.ClientError.Procedure.ProcedureNotFound", "Neo.ClientError.Statement.SyntaxError"):
		return apperr.Newf(apperr.Unavailable, "The server at %s does not understand the Cypher of Neo4j 5.26", at.URI).
			WithHint("Use Neo4j 5.26 or newer").Because(err)
	case connectivity(err) || apperr.Is(err, apperr.Unavailable):
		return apperr.Newf(apperr.Unavailable, "No Neo4j answers at %s", at.URI).
			WithHint("Start it or check NEO4J_URI. `run_doctor` tests each step").Because(err)
	}
	var server *neo4j.Neo4jError
	if apperr.From(err).Code == apperr.Internal && !errors.As(err, &server) {
		return apperr.Newf(apperr.Unavailable, "%s is not a Bolt port of Neo4j", at.URI).
			WithHint("Check NEO4J_URI: the default Bolt port is 7687; 7474 is HTTP").Because(err)
	}
	return AsError(err)
}

// shownURI returns a URI without its password.
func shownURI(uri string) string {
	scheme, rest, ok := strings.Cut(uri, "://")
	if at := strings.LastIndex(rest, "@"); ok && at >= 0 {
		return scheme + "://" + rest[at+1:]
	}
	return uri
}
