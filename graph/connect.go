package graph

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph/engine"
	"nomograph/progress"
)

const (
	connectTimeout = 5 * time.Second
	retryTime      = 5 * time.Second // for transient errors such as a deadlock
	readTimeout    = 30 * time.Second
)

// oldestServer is the LTS release whose Cypher the statements are written in.
var oldestServer = [2]int{5, 26}

func (db *DB) connect(ctx context.Context) (*connection, error) {
	endpoint, err := db.endpoint(ctx)
	if err != nil {
		return nil, err
	}
	driver, err := neo4j.NewDriverWithContext(endpoint.URI, neo4j.BasicAuth(endpoint.Username, endpoint.Password, ""), func(c *config.Config) {
		c.SocketConnectTimeout = connectTimeout
		c.ConnectionAcquisitionTimeout = connectTimeout
		c.MaxTransactionRetryTime = retryTime
		c.UserAgent = "nomograph"
		c.TelemetryDisabled = true
	})
	if err != nil {
		return nil, fault.Newf(fault.Unavailable, "NEO4J_URI %q is not a Neo4j address", endpoint.URI).
			WithHint("It looks like neo4j://host:7687, bolt://host:7687, or either with +s").Because(err)
	}
	c := &connection{driver: driver, server: Server{URI: endpoint.URI, Database: endpoint.Database, Managed: db.Managed()}}
	if routed(endpoint.URI) {
		c.bookmarks = neo4j.NewBookmarkManager(neo4j.BookmarkManagerConfig{})
	}
	if err := db.settle(ctx, c); err != nil {
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

// settle learns what the server is, and migrates it where it is asked to.
func (db *DB) settle(ctx context.Context, c *connection) error {
	found, err := c.probe(ctx)
	if err != nil {
		return reach(err, c.server)
	}
	if err := supported(found.Version); err != nil {
		return err
	}
	c.server.Version, c.server.Edition, c.server.Migration = found.Version, found.Edition, found.Migration
	newest := NewestMigration()
	if found.Migration > newest {
		return fault.Newf(fault.Conflict, "The graph was migrated to %04d by a newer Nomograph; this one knows %04d", found.Migration, newest).
			WithHint("Install the newer nomograph; the graph was not touched")
	}
	if found.Migration == newest || !db.options.Migrate {
		return nil
	}
	progress.Say(ctx, "Bringing the graph's schema up to date")
	if err := migrate(ctx, c); err != nil {
		if fault.Is(err, fault.PermissionDenied) {
			db.options.Log.Warn().Msg("this user may not change the schema; reading goes on without it, and may be slower")
			return nil
		}
		return err
	}
	c.server.Migration = newest
	if db.Managed() && found.Empty && db.options.FirstStart != nil {
		db.current.Store(c)
		defer db.current.Store(nil)
		return db.options.FirstStart(ctx, db)
	}
	return nil
}

type probe struct {
	Version, Edition string
	Migration        int
	Empty            bool
}

func (c *connection) probe(ctx context.Context) (probe, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*connectTimeout)
	defer cancel()
	rows, err := c.run(ctx, cypher.Probe, nil)
	if err != nil {
		return probe{}, err
	}
	return decode[probe](rows[0])
}

func supported(version string) error {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) >= 2 {
		major, err1 := strconv.Atoi(parts[0])
		minor, err2 := strconv.Atoi(strings.SplitN(parts[1], "-", 2)[0])
		if err1 == nil && err2 == nil && (major > oldestServer[0] || major == oldestServer[0] && minor >= oldestServer[1]) {
			return nil
		}
	}
	return fault.Newf(fault.Unavailable, "The server is Neo4j %q; Nomograph needs 5.26 or newer", version).
		WithHint("Upgrade it to 5.26 LTS, or unset NEO4J_URI to use the managed engine")
}

// reach says what to do about a server that was not reached, or not let in.
func reach(err error, server Server) error {
	switch {
	case hasCode(err, "Neo.ClientError.Security.Unauthorized", "Neo.ClientError.Security.AuthenticationRateLimit"):
		return fault.Newf(fault.Unavailable, "The database at %s refused the user name or password", server.URI).
			WithHint("Check NEO4J_USERNAME and NEO4J_PASSWORD; after several wrong tries Neo4j itself waits a few seconds").Because(err)
	case hasCode(err, "Neo.ClientError.Database.DatabaseNotFound"):
		return fault.Newf(fault.Unavailable, "There is no database %q at %s", server.Database, server.URI).
			WithHint("Check NEO4J_DATABASE; leave it empty for the default database").Because(err)
	case hasCode(err, "Neo.ClientError.Procedure.ProcedureNotFound", "Neo.ClientError.Statement.SyntaxError"):
		return fault.Newf(fault.Unavailable, "The server at %s does not speak Neo4j's Cypher", server.URI).
			WithHint("Nomograph needs Neo4j 5.26 or newer").Because(err)
	case connectivity(err) || fault.Is(err, fault.Unavailable):
		return fault.Newf(fault.Unavailable, "No Neo4j answers at %s", server.URI).
			WithHint("Start it, or check NEO4J_URI; `nomograph doctor` tries each step").Because(err)
	}
	return Fault(err)
}
