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

// Options configures the engine's files and size. The zero value is complete: see Defaults.
type Options struct {
	// existing Neo4j installation (NEO4J_HOME); empty: the one beside this program, otherwise download one
	Home    string
	Version string // Neo4j version to download; default Version
	Mirror  string // URL to download Neo4j and Java from instead of the public repositories
	Dir     string // private files: password, data, logs, state, locks; default <XDG data>/nomograph/engine
	Cache   string // downloaded jars and class-data archives, all re-creatable; default <XDG cache>/nomograph
	Port    int    // Bolt port on loopback; 0: the previous port if still free, otherwise any free port

	Heap      string // maximum heap, a number with k, m or g; empty: chosen at the start, see Memory
	PageCache string // page cache, in the same format

	Idle time.Duration // time without a lease after which the engine stops; default 5 minutes

	// Compiler is the mode of Java's compiler. "quick" reaches its speed sooner; "full" needs two thirds of the time
	// once warm. The default is full if Idle is an hour or more. It has no effect with Docker.
	Compiler string

	// Scratch is for a graph that is filled and emptied repeatedly. Query plans are kept when the data changes, and
	// none are created in the background after the start.
	Scratch bool

	// Supervisor is the command line of a process that calls Supervise; default {this executable, "engine",
	// "supervise"}. The other options are passed in its environment; see Environ.
	Supervisor []string

	homeless error // why a default directory is unknown
}

// Defaults returns the options with defaults for all zero values and with absolute paths.
func (o Options) Defaults() Options {
	o.Dir, o.homeless = defaultPath(o.Dir, disk.Data, "nomograph", "engine")
	cache, err := defaultPath(o.Cache, disk.Cache, "nomograph")
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
	longIdle    = time.Hour // from this idle time on, the engine is assumed to live longer than its warm-up takes
)

// defaultPath returns the given directory, otherwise a subdirectory of a user directory. If the user directory is
// unknown, it returns an invalid path, so that nothing is searched in the working directory.
func defaultPath(given string, of func(...string) (string, error), parts ...string) (string, error) {
	if given != "" {
		return absolute(given), nil
	}
	folder, err := of(parts...)
	if err != nil {
		return os.DevNull, err
	}
	return folder, nil
}

// absolute returns path unchanged if it cannot be made absolute; its first use then fails with the reason.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// EnvVersion is the variable that selects another Neo4j version; make test-newest sets it.
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

// Environ returns the options except Supervisor as NAME=value lines for the supervisor's environment.
func (o Options) Environ() []string {
	return []string{
		envHome + "=" + o.Home,
		EnvVersion + "=" + o.Version,
		provision.EnvMirror + "=" + o.Mirror,
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

// OptionsFromEnv reads the variables of Environ; missing ones stay zero. An invalid value is a validation_error that
// names the variable.
func OptionsFromEnv() (Options, error) {
	o := Options{
		Home:      os.Getenv(envHome),
		Version:   os.Getenv(EnvVersion),
		Mirror:    os.Getenv(provision.EnvMirror),
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
			return o, apperr.Newf(apperr.Validation, "%s is not a port number: %q", envPort, text).
				WithHint("Use a number from 1024 to 65535, or 0 for any free port")
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
	neo4jVersion = pattern.New(`^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$`) // also part of a path
)

func (o Options) validate() error {
	if o.homeless != nil {
		return o.homeless
	}
	if !neo4jVersion.MatchString(o.Version) || isOlder(o.Version, provision.Oldest) {
		return apperr.Newf(apperr.Validation, "%s is %q, which is not a Neo4j version of %s or newer", EnvVersion,
			o.Version, provision.Oldest).
			WithHint("Use a version such as %s, or leave it empty for that version", Version)
	}
	for name, size := range map[string]string{"heap": o.Heap, "page cache": o.PageCache} {
		if size != "" && !memorySize.MatchString(size) {
			return apperr.Newf(apperr.Validation, "The engine's %s is not a memory size: %q", name, size).
				WithHint("Use a whole number and k, m or g, such as 512m")
		}
	}
	if o.Heap != "" && sizeOf(o.Heap) < 64<<20 {
		return apperr.Newf(apperr.Validation, "A heap of %s is too small for Neo4j", o.Heap).
			WithHint("Use 256m or more")
	}
	if o.Compiler != quick && o.Compiler != full {
		return apperr.Newf(apperr.Validation, "The engine's compiler must be %s or %s, not %q", quick, full,
			o.Compiler).
			WithHint("Leave %s empty to choose automatically", envCompiler)
	}
	if o.Port < 0 || o.Port > 65535 {
		return apperr.Newf(apperr.Validation, "%d is not a port", o.Port).
			WithHint("Use a number from 1024 to 65535, or 0 for any free port")
	}
	return nil
}

// sizeOf returns the bytes of a validated size such as 512m.
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

// folders creates the private directories. It returns unavailable on failure.
func (o Options) folders() error {
	for _, dir := range []string{o.Dir, o.path("logs"), o.path("conf"), o.path("run"), o.path("backups")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return files.Unwritable(dir, err)
		}
	}
	return nil
}
