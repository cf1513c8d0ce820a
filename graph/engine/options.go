package engine

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"nomograph/graph/engine/files"
	"nomograph/graph/engine/provision"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/pattern"
)

// Options say where the engine is stored and how large it is. The zero value is complete: see Defaults.
type Options struct {
	Home    string // an existing Neo4j installation (NEO4J_HOME); empty: provision one through Maven
	Version string // of the Neo4j to provision, from 5.26 on; default Version
	Dir     string // everything private: password, data, logs, state, locks; default <XDG data>/nomograph/engine
	Cache   string // provisioned jars and class-data archives, all re-creatable; default <XDG cache>/nomograph
	Port    int    // Bolt's port on loopback; 0: the last one used if still free, else any free one

	Heap      string // largest heap, a number and k, m or g; empty: chosen at the start, see Memory
	PageCache string // page cache, likewise

	Idle time.Duration // how long after the last lease is gone the engine stops; default 5 minutes

	// Compiler is Java's: "quick" is fast sooner, "full" takes two thirds of the time once it is warm. The default is
	// full if Idle is an hour or more. Docker's Neo4j has its own.
	Compiler string

	// Scratch is for a graph that is filled and emptied repeatedly: its plans are preserved while it changes, and none
	// are made in the background after the start.
	Scratch bool

	// Supervisor is the argv of a process that calls Supervise; default {this executable, "engine", "supervise"}.
	// The other options reach it through its environment, see Environ.
	Supervisor []string

	homeless error // why a default folder is not known
}

// Defaults returns the options with every zero value filled in and every path absolute.
func (o Options) Defaults() Options {
	o.Dir, o.homeless = rooted(o.Dir, disk.Data, "nomograph", "engine")
	cache, err := rooted(o.Cache, disk.Cache, "nomograph")
	o.Cache, o.homeless = cache, cmp.Or(o.homeless, err)
	if o.Home != "" {
		o.Home = absolute(o.Home)
	}
	o.Version = cmp.Or(o.Version, Version)
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Compiler == "" {
		o.Compiler = quick
		if o.Idle >= longIdle {
			o.Compiler = full
		}
	}
	if len(o.Supervisor) == 0 {
		if self, err := os.Executable(); err == nil {
			o.Supervisor = []string{self, "engine", "supervise"}
		}
	}
	return o
}

const (
	quick, full = "quick", "full"
	longIdle    = time.Hour // whoever has the engine wait so long wants it to live longer than it takes to warm
)

// rooted is a folder that was given, else the default one in a folder of the user's. Where that is not known, it is a name that is no
// folder, so that nothing is looked for where this process happens to be.
func rooted(given string, of func(...string) (string, error), parts ...string) (string, error) {
	if given != "" {
		return absolute(given), nil
	}
	folder, err := of(parts...)
	if err != nil {
		return os.DevNull, err
	}
	return folder, nil
}

// A path that cannot be made absolute is kept: the first use of it says why it does not work.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// EnvVersion names another Neo4j than Version; make test-newest sets it.
const EnvVersion = "NOMOGRAPH_ENGINE_VERSION"

const (
	envHome      = "NOMOGRAPH_ENGINE_HOME"
	envCache     = "NOMOGRAPH_ENGINE_CACHE"
	envPort      = "NOMOGRAPH_ENGINE_PORT"
	envHeap      = "NOMOGRAPH_ENGINE_HEAP"
	envPageCache = "NOMOGRAPH_ENGINE_PAGECACHE"
	envIdle      = "NOMOGRAPH_ENGINE_IDLE"
	envCompiler  = "NOMOGRAPH_ENGINE_COMPILER"
	envScratch   = "NOMOGRAPH_ENGINE_SCRATCH"
)

// Environ returns the options, Supervisor excepted, as NAME=value lines for the supervisor's environment.
func (o Options) Environ() []string {
	return []string{
		envHome + "=" + o.Home,
		EnvVersion + "=" + o.Version,
		files.EnvDir + "=" + o.Dir,
		envCache + "=" + o.Cache,
		envPort + "=" + strconv.Itoa(o.Port),
		envHeap + "=" + o.Heap,
		envPageCache + "=" + o.PageCache,
		envIdle + "=" + o.Idle.String(),
		envCompiler + "=" + o.Compiler,
		envScratch + "=" + strconv.FormatBool(o.Scratch),
	}
}

// OptionsFromEnv reads what Environ wrote; what is absent stays zero. A value that cannot be read is a
// validation_error that names the variable.
func OptionsFromEnv() (Options, error) {
	o := Options{
		Home:      os.Getenv(envHome),
		Version:   os.Getenv(EnvVersion),
		Dir:       os.Getenv(files.EnvDir),
		Cache:     os.Getenv(envCache),
		Heap:      os.Getenv(envHeap),
		PageCache: os.Getenv(envPageCache),
		Compiler:  os.Getenv(envCompiler),
		Scratch:   os.Getenv(envScratch) == "true",
	}
	if text := os.Getenv(envPort); text != "" {
		port, err := strconv.Atoi(text)
		if err != nil {
			return o, apperr.Newf(apperr.Validation, "%s is not a port number: %q", envPort, text)
		}
		o.Port = port
	}
	if text := os.Getenv(envIdle); text != "" {
		idle, err := time.ParseDuration(text)
		if err != nil {
			return o, apperr.Newf(apperr.Validation, "%s is not a duration: %q", envIdle, text).
				WithHint("Use a duration such as 90s, 5m or 2h")
		}
		o.Idle = idle
	}
	return o, nil
}

var (
	memorySize   = pattern.New(`^[1-9][0-9]{0,9}[kKmMgG]$`)
	neo4jVersion = pattern.New(`^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$`) // also a part of a path, and of an argument of Maven's
)

func (o Options) validate() error {
	if o.homeless != nil {
		return o.homeless
	}
	if !neo4jVersion.MatchString(o.Version) || older(o.Version, provision.Oldest) {
		return apperr.Newf(apperr.Validation, "%s is %q, not a version of Neo4j from %s on", EnvVersion, o.Version, provision.Oldest).
			WithHint("Use a version such as %s, or leave it empty for that version", Version)
	}
	for name, size := range map[string]string{"heap": o.Heap, "page cache": o.PageCache} {
		if size != "" && !memorySize.MatchString(size) {
			return apperr.Newf(apperr.Validation, "The engine's %s is not a memory size: %q", name, size).
				WithHint("Use a whole number and k, m or g, such as 512m")
		}
	}
	if o.Heap != "" && sizeOf(o.Heap) < 64<<20 {
		return apperr.Newf(apperr.Validation, "A heap of %s is too small for Neo4j", o.Heap).WithHint("Use 256m or more")
	}
	if o.Compiler != quick && o.Compiler != full {
		return apperr.Newf(apperr.Validation, "The engine's compiler must be %s or %s, not %q", quick, full, o.Compiler).
			WithHint("Leave %s empty to choose automatically", envCompiler)
	}
	if o.Port < 0 || o.Port > 65535 {
		return apperr.Newf(apperr.Validation, "%d is not a port", o.Port).
			WithHint("Use a number from 1024 to 65535, or 0 for any free port")
	}
	return nil
}

// sizeOf gives the bytes of a size that validate has let through.
func sizeOf(size string) int64 {
	number, _ := strconv.ParseInt(size[:len(size)-1], 10, 64)
	switch strings.ToLower(size[len(size)-1:]) {
	case "k":
		return number << 10
	case "m":
		return number << 20
	default:
		return number << 30
	}
}

func (o Options) path(elements ...string) string {
	return filepath.Join(append([]string{o.Dir}, elements...)...)
}

// folders makes the private folders. A folder that cannot be made is the fault unavailable.
func (o Options) folders() error {
	for _, dir := range []string{o.Dir, o.path("logs"), o.path("conf"), o.path("run"), o.path("backups")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return files.Unwritable(dir, err)
		}
	}
	return nil
}
