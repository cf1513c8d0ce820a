package engine

import (
	"context"
	"os"

	"github.com/rs/zerolog"

	"nomograph/graph/engine/provision"
)

// Version is the default Neo4j version.
const Version = provision.Version

// installation is one Neo4j version with the program that runs it.
type installation struct {
	provision.Programs
	o         Options
	log       zerolog.Logger
	journal   *journal
	noArchive bool // a broken archive exists and cannot be deleted
}

func (o Options) source() provision.Source {
	self, _ := os.Executable() // without it, nothing is beside
	return provision.Source{Home: o.Home, Version: o.Version, Cache: o.Cache, Mirror: o.Mirror,
		Beside: provision.Beside(self)}
}

// Fetch downloads Neo4j and Java without starting them: those of this machine into the cache, or with dir, those of a
// platform such as linux/arm64 as dir/lib and dir/jre, the layout that a program finds as the folder engine beside
// itself.
func Fetch(ctx context.Context, o Options, dir, platform string) error {
	o = o.Defaults()
	if dir != "" {
		return provision.Fetch(ctx, o.source(), dir, platform)
	}
	_, err := provision.Find(ctx, o.source())
	return err
}

// Runtime describes what runs the engine, or returns the error that a start would return. It downloads and starts
// nothing.
func Runtime(ctx context.Context, o Options) (string, error) {
	return provision.Describe(ctx, o.Defaults().source())
}
