package engine

import (
	"context"

	"github.com/rs/zerolog"

	"nomograph/graph/engine/provision"
)

// Version is the Neo4j that is provisioned when Options names no other.
const Version = provision.Version

// installation is the programs of one Neo4j version, and what they run on.
type installation struct {
	provision.Programs
	o         Options
	log       zerolog.Logger
	journal   *journal
	noArchive bool // one does not work, and cannot be deleted
}

func (o Options) source() provision.Source {
	return provision.Source{Home: o.Home, Version: o.Version, Cache: o.Cache, Log: o.path("logs", "maven.log")}
}

// Runtime says what the engine runs with, or returns the fault that a start would return for what is missing. It fetches
// and starts nothing.
func Runtime(ctx context.Context, o Options) (string, error) {
	return provision.Describe(ctx, o.Defaults().source())
}
