package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"nomograph/graph/engine/files"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// lastOpened is the content of version.json: the engine version that last opened the data.
type lastOpened struct {
	Version string `json:"version"`
}

func (in *installation) noteVersion() error {
	data, err := json.Marshal(lastOpened{in.Version})
	if err != nil {
		return fmt.Errorf("note the engine's version: %w", err)
	}
	return files.Write(in.o.path("version.json"), data)
}

// lastOpened reads version.json; it is empty if the file is missing or unreadable.
func (in *installation) lastOpened() (last lastOpened) {
	if data, err := os.ReadFile(in.o.path("version.json")); err == nil && json.Unmarshal(data, &last) == nil {
		return last
	}
	return lastOpened{}
}

// admitData decides whether this version may open the data, and keeps a dump if an older version opened it last. It
// refuses data of a newer version, because Neo4j upgrades its files permanently.
func (in *installation) admitData(ctx context.Context) error {
	last := in.lastOpened()
	if last.Version == "" || last.Version == in.Version || !exists(in.o.path("data", "databases", database)) {
		return nil
	}
	if isOlder(in.Version, last.Version) {
		return apperr.Newf(apperr.Unavailable, "The data in %s need Neo4j %s, and this engine is %s",
			in.o.path("data"), last.Version, in.Version).
			WithHint("Use Neo4j %s or newer (%s, NEO4J_HOME, or a newer Nomograph), or restore a dump from %s into an empty folder set by %s",
				last.Version, EnvVersion, in.o.path("backups"), files.EnvDir)
	}
	return in.dumpBeforeUpgrade(ctx, last.Version)
}

// dumpBeforeUpgrade dumps the data before a newer version opens it. If a dump is impossible, because the data needs a
// recovery or the programs are in a container, it copies the files.
func (in *installation) dumpBeforeUpgrade(ctx context.Context, old string) error {
	name := fmt.Sprintf("before-%s-from-%s-%s", in.Version, old, stamp())
	progress.Say(ctx, fmt.Sprintf("Backing up the data before the upgrade from Neo4j %s to %s", old, in.Version))
	err := errors.New("no administration tool with Docker")
	if in.Docker == "" {
		err = in.dumpOnce(ctx, in.o.path("backups", name+".dump"))
	}
	if err == nil || ctx.Err() != nil {
		return err
	}
	in.log.Warn().Err(err).Msg("dump before upgrade failed; copying files")
	if err := os.CopyFS(in.o.path("backups", name), os.DirFS(in.o.path("data"))); err != nil {
		return files.Unwritable(in.o.path("backups", name), err)
	}
	return nil
}

// isOlder compares versions number by number. It stops at the first part that is not a number.
func isOlder(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return false
		}
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}
