package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/progress"
	"nomograph/internal/retry"
	"nomograph/internal/uid"
	"nomograph/migrations"
)

// NewestMigration returns the number of the newest migration of this program.
func NewestMigration() int {
	all := migrations.All()
	return all[len(all)-1].Version
}

// migrate applies pending migrations. Schema and data changes cannot share a transaction, so one transaction holds a
// lock on a node while the statements run one by one in others. A second process waits, and the lock is free as soon as
// the first process ends.
func migrate(ctx context.Context, c *connection) error {
	if _, err := c.run(ctx, cypher.MigrationLockCreate, nil); err != nil {
		return AsError(err)
	}
	return c.lockedForMigration(ctx, func() error {
		rows, err := c.run(ctx, cypher.MigrationsApplied, nil)
		if err != nil {
			return err
		}
		ledger := make([]applied, len(rows))
		for i, row := range rows {
			if err := decode(row, &ledger[i]); err != nil {
				return err
			}
		}
		newest, err := compare(ledger)
		if err != nil {
			return err
		}
		for i, m := range migrations.All() {
			if m.Version <= newest {
				continue
			}
			progress.Report(ctx, progress.Step{Message: fmt.Sprintf("Migrating the graph: %d of %d", i+1,
				len(migrations.All())), Done: int64(i), Total: int64(len(migrations.All()))})
			for _, text := range m.Statements() {
				if err := c.createSchema(ctx, cypher.New(m.Name, text, true)); err != nil {
					return err
				}
			}
			if _, err := c.run(ctx, cypher.MigrationRecord, Params{
				"version": m.Version, "name": m.Name, "checksum": checksum(m.Text), "by": lockHolder(),
				"uid": uid.New(),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// createdName matches the name of what a schema statement creates. The index of a constraint has the constraint's name.
var createdName = pattern.New(`^\w+ (?:\w+ )*(?:INDEX|CONSTRAINT) (\w+) IF NOT EXISTS`)

// restoreSchema restores indexes and constraints of migrations that were dropped.
func (c *connection) restoreSchema(ctx context.Context) error {
	there, err := c.run(ctx, cypher.IndexNames, nil)
	if err != nil {
		return AsError(err)
	}
	names := map[string]bool{}
	for _, row := range there {
		name, _, err := neo4j.GetRecordValue[string](row, "name")
		if err != nil {
			return err
		}
		names[name] = true
	}
	for _, m := range migrations.All() {
		for _, text := range m.Statements() {
			makes := createdName.FindStringSubmatch(text)
			if makes == nil || names[makes[1]] {
				continue
			}
			progress.Say(ctx, "Recreating the dropped index "+makes[1])
			if err := c.createSchema(ctx, cypher.New(m.Name, text, true)); err != nil {
				return AsError(err)
			}
		}
	}
	return nil
}

// createSchema runs a statement of a migration. Another process may create the same index meanwhile, which the server
// reports as an error. If a process ended while it created a constraint, the constraint's index is left without it and
// is created again.
func (c *connection) createSchema(ctx context.Context, s cypher.Statement) error {
	_, err := c.run(ctx, s, nil)
	if hasCode(err, "Neo.ClientError.Schema.IndexWithNameAlreadyExists", "Neo.ClientError.Schema.IndexAlreadyExists") {
		name, wrong := c.leftIndex(ctx, s.Text())
		if wrong != nil || name == "" {
			return cmp.Or(wrong, err)
		}
		if _, err := c.run(ctx, cypher.IndexDrop, Params{"name": name}); err != nil {
			return err
		}
		_, err = c.run(ctx, s, nil)
	}
	if hasCode(err, "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists") {
		return nil
	}
	return err
}

// leftIndex returns the name of the index that a constraint would have, if there is one of the same name, label and
// properties; otherwise "", because an index of others stays.
func (c *connection) leftIndex(ctx context.Context, constraint string) (string, error) {
	made := createdName.FindStringSubmatch(constraint)
	rows, err := c.run(ctx, cypher.Indexes, nil)
	for _, row := range rows {
		var index struct {
			Name                      string
			LabelsOrTypes, Properties []string
		}
		if err := decode(row, &index); err != nil {
			return "", err
		}
		same := made != nil && index.Name == made[1]
		for _, label := range index.LabelsOrTypes {
			same = same && strings.Contains(constraint, ":"+label+")")
		}
		for _, property := range index.Properties {
			same = same && strings.Contains(constraint, "."+property+" ")
		}
		if same {
			return index.Name, nil
		}
	}
	return "", err
}

// applied is an applied migration.
type applied struct {
	Version        int
	Name, Checksum string
}

// compare returns the newest applied migration, 0 for none, or a conflict if the applied migrations are not ours.
func compare(ledger []applied) (newest int, err error) {
	known := NewestMigration()
	for _, a := range ledger {
		newest = max(newest, a.Version)
		for _, m := range migrations.All() {
			if m.Version == a.Version && a.Checksum != checksum(m.Text) {
				return 0, apperr.Newf(apperr.Conflict, "Migration %04d of the graph is %q and differs from this Nomograph's %q", m.Version, a.Name, m.Name).
					WithHint("Another build migrated the graph. Use that build, or restore an earlier backup")
			}
		}
	}
	if newest > known {
		return 0, apperr.Newf(apperr.Conflict, "A newer Nomograph migrated the graph to %04d; this one knows %04d",
			newest, known).
			WithHint("Install the newer nomograph. The graph is unchanged")
	}
	return newest, nil
}

func (c *connection) lockedForMigration(ctx context.Context, work func() error) error {
	const timeout = 2 * time.Minute // longer than the schema statements of a large graph take
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	const pause = 200 * time.Millisecond
	err := retry.Run(ctx, retry.Policy{First: pause, Max: pause}, func() error {
		err := c.tryLocked(ctx, work)
		// The server limits the wait for the lock; its holder is migrating.
		if !transient(err) && !hasCode(err, "Neo.ClientError.Transaction.LockAcquisitionTimeout") {
			return retry.Stop(err)
		}
		progress.Say(ctx, "Waiting while another process migrates the graph")
		return err
	})
	return AsError(err)
}

func (c *connection) tryLocked(ctx context.Context, work func() error) error {
	session := c.session(ctx, neo4j.AccessModeWrite)
	defer func() { _ = session.Close(ctx) }()
	const limit = 2 * time.Minute
	lock, err := session.BeginTransaction(ctx, neo4j.WithTxTimeout(limit),
		neo4j.WithTxMetadata(metadata(ctx, "migration lock", limit)))
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close(ctx) }() // rolls back: the transaction only holds the lock
	result, err := lock.Run(ctx, cypher.MigrationLockAcquire.Text(), Params{"by": lockHolder()})
	if err != nil {
		return err
	}
	if _, err := result.Consume(ctx); err != nil {
		return err
	}
	return work()
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:])
}

func lockHolder() string {
	host, err := os.Hostname()
	if err != nil {
		return "nomograph"
	}
	return "nomograph at " + host
}
