// Package hooksocket lets the process of a hook ask a running server of the same user over a private socket, instead
// of opening the database. A server answers only requests of its own version for its own database. The package imports
// little, because the start of the hook's process takes most of the time that a client waits.
package hooksocket

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Request is an event of a client's hook, with the settings of the process that got it.
type Request struct {
	Version  string // version of the program
	Client   string
	Event    string   // event from the command line; empty if the input names the event
	Args     []string // arguments after the event
	Stdin    []byte
	FailOpen []string
	Budget   time.Duration

	// Settings are those of the database, as one text, with Agent and Project. If they are empty, the server derives
	// them from the environment and the working directory.
	Settings, Agent, Project string
	Environ                  []string // NAME=value of Variables
	Dir                      string
}

// Answer is what the process prints, and its exit code.
type Answer struct {
	Stdout, Stderr string
	Exit           int
	Declined       bool // the server has other settings; the process must check by itself
}

// DefaultBudget is the maximum time for the answer to a hook.
const DefaultBudget = 10 * time.Second

const (
	dialTimeout = 250 * time.Millisecond
	maxRequest  = 80 << 20 // bytes
	maxAnswer   = 4 << 20  // bytes
	suffix      = ".sock"
)

// Variables are the environment variables that select a database, an agent and a project.
var Variables = []string{"NEO4J_URI", "NEO4J_USERNAME", "NEO4J_DATABASE", "NOMOGRAPH_URL", "NOMOGRAPH_ENGINE_DIR",
	"NOMOGRAPH_CONFIG", "NOMOGRAPH_AGENT", "NOMOGRAPH_PROJECT"}

// Homes are the environment variables that determine the directories of settings files.
var Homes = []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"}

// Environ returns the set variables of Variables and Homes as NAME=value.
func Environ() (pairs []string) {
	for _, names := range [][]string{Variables, Homes} {
		for _, name := range names {
			if value := os.Getenv(name); value != "" {
				pairs = append(pairs, name+"="+value)
			}
		}
	}
	return pairs
}

// Folder returns the folder of the sockets in the user's cache directory, "" if it is not known.
func Folder() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		switch home := os.Getenv("HOME"); {
		case runtime.GOOS == "windows":
			cache = filepath.Join(os.Getenv("LOCALAPPDATA"), "cache")
		case !filepath.IsAbs(home):
			return ""
		case runtime.GOOS == "darwin":
			cache = filepath.Join(home, "Library", "Caches")
		default:
			cache = filepath.Join(home, ".cache")
		}
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "nomograph", "run")
}

// Path returns the socket of the servers of a version with these settings, "" without a folder.
func Path(version, settings string) string {
	folder := Folder()
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, prefix(version)+shortName(settings)+suffix)
}

func prefix(version string) string { return shortName(version) + "-" }

// shortName returns the FNV-1a hash of a text in hex. The server compares the text itself.
func shortName(text string) string {
	sum := uint32(2166136261)
	for i := range len(text) {
		sum = (sum ^ uint32(text[i])) * 16777619
	}
	const digits = "0123456789abcdef"
	var name [8]byte
	for i := range name {
		name[i] = digits[sum>>(28-4*i)&15]
	}
	return string(name[:])
}

// ErrNone is returned if no server can answer, so that the process must check by itself.
var ErrNone = errors.New("no server answers hooks with these settings")

// Ask sends a request to a server of its version and settings, before the deadline. It returns ErrNone if there is
// none, and os.ErrDeadlineExceeded if the server did not answer in time.
func Ask(deadline time.Time, r Request) (Answer, error) {
	if r.Settings != "" {
		return ask(deadline, Path(r.Version, r.Settings), r)
	}
	paths, err := Sockets(r.Version), ErrNone
	for i, path := range paths { // one call that hangs leaves time for the others
		var answer Answer
		now := time.Now()
		if answer, err = ask(now.Add(deadline.Sub(now)/time.Duration(len(paths)-i)), path, r); err == nil {
			return answer, nil
		}
	}
	return Answer{}, err
}

// Sockets returns the sockets of the servers of a version.
func Sockets(version string) (paths []string) {
	folder := Folder()
	if folder == "" {
		return nil
	}
	opened, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer func() { _ = opened.Close() }()
	names, _ := opened.Readdirnames(-1)
	for _, name := range names {
		if strings.HasPrefix(name, prefix(version)) && strings.HasSuffix(name, suffix) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths
}

// own reports whether a socket and its folder belong to this user only. Another user's server must not answer: it
// would allow everything, and read what the agent does.
func own(path string) bool {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || !ownFile(folder) {
		return false
	}
	socket, err := os.Lstat(path)
	return err == nil && (socket.Mode().Type() == os.ModeSocket || runtime.GOOS == "windows") && ownFile(socket)
}

func ask(deadline time.Time, path string, r Request) (Answer, error) {
	if !own(path) {
		return Answer{}, ErrNone
	}
	connection, err := net.DialTimeout("unix", path, min(dialTimeout, max(time.Until(deadline), time.Millisecond)))
	if err != nil {
		return Answer{}, ErrNone
	}
	defer func() { _ = connection.Close() }()
	if peer, ok := connection.(*net.UnixConn); !ok || !ownPeer(peer) {
		return Answer{}, ErrNone
	}
	_ = connection.SetDeadline(deadline)
	if err = r.send(connection); err == nil {
		var answer Answer
		if answer, err = receiveAnswer(connection); err == nil && !answer.Declined {
			return answer, nil
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Answer{}, err
	}
	return Answer{}, ErrNone
}
