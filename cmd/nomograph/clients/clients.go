// Package clients adds this server to the configuration files of MCP clients and preserves every other byte of them.
//
//	edit, err := client.Edit(path, false, clients.Connection{Program: program})
//	if err == nil && !edit.Same {
//		err = edit.Write()
//	}
package clients

import (
	_ "embed"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/document"
)

// Client is a program that starts MCP servers: a row of clients.json. Paths there begin with ~/ (the home directory),
// {settings}/ (the settings directory of desktop programs) or {claude}/ (the directory of Claude Code).
type Client struct {
	Name, Title string
	Project     string // path of its configuration in a project; empty if it has none
	// path of its configuration for this user; empty if the entry is only shown
	UserPath string `json:"user"`
	// directory of its stored conversations; empty if Nomograph does not read them
	ConversationsPath string `json:"conversations"`
	Section           string // key that contains the servers
	Set, Unset        string // commands that write and remove the entry, of a client without a file; Set has a %s for it
	Typed             bool   // entries state the type stdio
	// For a server with a URL: whether the client needs a bridge program, the key and value of the entry's transport, and
	// the format of an environment variable.
	Bridged  bool
	HTTP     []string
	Variable string
}

//go:embed clients.json
var clientsFile []byte

var known = document.ShippedJSON[struct {
	Clients []Client
	Hooks   []HookFile
}](clientsFile)

// All lists the known clients.
func All() []Client { return known().Clients }

// Find returns a client by its name.
func Find(name string) (Client, bool) {
	at := slices.IndexFunc(All(), func(c Client) bool { return c.Name == name })
	if at < 0 {
		return Client{}, false
	}
	return All()[at], true
}

// User returns the path of its configuration for this user, or "" if the entry is only shown. It returns an unavailable
// error if the user has no home directory.
func (c Client) User() (string, error) { return expand(c.UserPath) }

// Conversations returns the directory of its stored conversations, or "" if Nomograph does not read them. It returns an
// unavailable error if the user has no home directory.
func (c Client) Conversations() (string, error) { return expand(c.ConversationsPath) }

// Entry reports whether the configuration file has an entry for this server. other is the command line of an entry that
// starts another program.
func (c Client) Entry(path string) (ok bool, other string) {
	f, err := open(path, false)
	if err != nil {
		return false, ""
	}
	plain, err := f.plain()
	if err != nil {
		return false, ""
	}
	entry := plain.Get(c.Section + ".nomograph")
	if !entry.Exists() {
		return false, ""
	}
	command, url, args := entry.Get("command").String(), entry.Get("url").String(), []string{}
	for _, arg := range entry.Get("args").Array() {
		args = append(args, arg.String())
	}
	if startsNomograph(command, args, url) || slices.ContainsFunc(args,
		func(arg string) bool { return base(arg) == "nomograph" }) { // such as go run ./cmd/nomograph
		return true, ""
	}
	return true, commandLine(command, args)
}

// expand returns a path of clients.json on this machine; "" for "".
func expand(path string) (string, error) {
	start, rest, _ := strings.Cut(path, "/")
	rest = filepath.FromSlash(rest)
	switch folder := os.Getenv("CLAUDE_CONFIG_DIR"); {
	case path == "":
		return "", nil
	case start == "{settings}":
		return appData(rest)
	case start == "{claude}" && folder != "":
		return filepath.Join(folder, rest), nil
	case start == "{claude}":
		rest = filepath.Join(".claude", rest)
	}
	folder, err := disk.Home()
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, rest), nil
}

// appData returns a path in the settings directory of desktop programs.
func appData(path string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		folder, err := os.UserConfigDir()
		if err != nil {
			return "", apperr.New(apperr.Unavailable, "The folder for program settings is unknown").
				WithHint("Set APPDATA").Because(err)
		}
		return filepath.Join(folder, path), nil
	case "darwin":
		return expand("~/Library/Application Support/" + path)
	}
	return disk.Config(path)
}
