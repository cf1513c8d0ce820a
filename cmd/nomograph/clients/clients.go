// Package clients adds this server to the configuration files of MCP clients and preserves every other byte of them.
//
//	edit, err := client.Edit(path, false, clients.Connection{Program: program})
//	if err == nil && !edit.Same {
//		err = edit.Write()
//	}
package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"

	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/document"
)

// Client is a program that starts MCP servers.
type Client struct {
	Name, Title string
	Project     string // path of its configuration in a project; empty if it has none

	// conversations returns the directory of its stored conversations; nil if Nomograph does not read them.
	conversations func() (string, error)
	user          func() (string, error) // path of its configuration for this user; nil if the entry is only shown
	section       string                 // key that contains the servers
	typed         bool                   // entries state the type stdio
	// For a server with a URL: whether the client needs a bridge program, the type of the entry, and the format of an
	// environment variable.
	bridged  bool
	http     string
	variable string
}

// User returns the path of its configuration for this user, or "" if the entry is only shown. It returns an unavailable
// error if the user has no home directory.
func (c Client) User() (string, error) {
	if c.user == nil {
		return "", nil
	}
	return c.user()
}

// Conversations returns the directory of its stored conversations, or "" if Nomograph does not read them. It returns an
// unavailable error if the user has no home directory.
func (c Client) Conversations() (string, error) {
	if c.conversations == nil {
		return "", nil
	}
	return c.conversations()
}

// Entry reports whether the configuration file has an entry for this server. other is the command line of an entry that
// starts another program.
func (c Client) Entry(path string) (ok bool, other string) {
	text, err := disk.Read(path, maxFileLength)
	if err == nil {
		text, err = document.Decode(text)
	}
	if err != nil {
		return false, ""
	}
	plain, err := hujson.Standardize(text)
	if err != nil {
		return false, ""
	}
	entry := gjson.GetBytes(plain, c.section+".nomograph")
	if !entry.Exists() {
		return false, ""
	}
	command, url, args := entry.Get("command").String(), entry.Get("url").String(), []string{}
	for _, arg := range entry.Get("args").Array() {
		args = append(args, arg.String())
	}
	if startsNomograph(command, args, url) || slices.ContainsFunc(args, func(arg string) bool { return base(arg) == "nomograph" }) { // such as go run ./cmd/nomograph
		return true, ""
	}
	return true, commandLine(command, args)
}

func home(parts ...string) func() (string, error) {
	return func() (string, error) {
		folder, err := disk.Home()
		if err != nil {
			return "", err
		}
		return filepath.Join(append([]string{folder}, parts...)...), nil
	}
}

// All lists the known clients.
var All = []Client{
	{Name: "cursor", Title: "Cursor", user: home(".cursor", "mcp.json"), conversations: home(".cursor", "projects"), Project: ".cursor/mcp.json", section: "mcpServers", variable: "${env:%s}"},
	{Name: "claude-code", Title: "Claude Code", user: home(".claude.json"), conversations: claudeCode, Project: ".mcp.json", section: "mcpServers", http: "http", variable: "${%s}"},
	{Name: "claude-desktop", Title: "Claude Desktop", user: claudeDesktop, section: "mcpServers", bridged: true},
	{Name: "vscode", Title: "VS Code", user: vscode, Project: ".vscode/mcp.json", section: "servers", typed: true, http: "http", variable: "${env:%s}"},
	{Name: "openclaw", Title: "OpenClaw", section: "mcp.servers", variable: "${%s}"},
}

func claudeCode() (string, error) {
	if folder := os.Getenv("CLAUDE_CONFIG_DIR"); folder != "" {
		return filepath.Join(folder, "projects"), nil
	}
	return home(".claude", "projects")()
}

func claudeDesktop() (string, error) { return appData("Claude", "claude_desktop_config.json") }

func vscode() (string, error) { return appData("Code", "User", "mcp.json") }

// appData returns a path in the settings directory of desktop programs.
func appData(parts ...string) (string, error) {
	switch runtime.GOOS {
	case "windows":
		folder, err := os.UserConfigDir()
		if err != nil {
			return "", apperr.New(apperr.Unavailable, "The folder for program settings is unknown").WithHint("Set APPDATA").Because(err)
		}
		return filepath.Join(append([]string{folder}, parts...)...), nil
	case "darwin":
		return home(append([]string{"Library", "Application Support"}, parts...)...)()
	}
	return disk.Config(parts...)
}
