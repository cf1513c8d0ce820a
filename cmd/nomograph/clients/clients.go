// Package clients writes this server into the configuration files of MCP clients, and leaves everything else in them to the
// byte.
//
//	edit, err := client.Edit(path, false, clients.Way{Program: program})
//	if err == nil && !edit.Same {
//		err = edit.Write()
//	}
package clients

import (
	"os"
	"path/filepath"
	"runtime"

	"github.com/adrg/xdg"
	"github.com/tailscale/hujson"
	"github.com/tidwall/gjson"
)

// Client is a program that starts MCP servers.
type Client struct {
	Name, Title string
	Project     string // its configuration inside a project, where it has one

	// conversations is the folder in which it keeps them, where we read them.
	conversations func() string
	user          func() string // its configuration for this user; nil where we only show what to add
	section       string        // the key under which servers stand
	typed         bool          // whether an entry says that it is stdio
	// Of a server that runs at an address: whether a program speaks HTTP for the client, the type that an entry has, and how the client
	// writes an environment variable.
	bridged  bool
	http     string
	variable string
}

// User is the path of its configuration for this user; empty where we only show what to add.
func (c Client) User() string {
	if c.user == nil {
		return ""
	}
	return c.user()
}

// Conversations is the folder in which it keeps what was said; empty where it keeps nothing that we read.
func (c Client) Conversations() string {
	if c.conversations == nil {
		return ""
	}
	return c.conversations()
}

// Starts tells whether the configuration at a path starts this server.
func (c Client) Starts(path string) bool {
	document, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	plain, err := hujson.Standardize(document)
	return err == nil && gjson.GetBytes(plain, c.section+".nomograph").Exists()
}

func home(parts ...string) func() string {
	return func() string { return filepath.Join(append([]string{xdg.Home}, parts...)...) }
}

// All are those that we know.
var All = []Client{
	{Name: "cursor", Title: "Cursor", user: home(".cursor", "mcp.json"), conversations: home(".cursor", "projects"), Project: ".cursor/mcp.json", section: "mcpServers", variable: "${env:%s}"},
	{Name: "claude-code", Title: "Claude Code", user: home(".claude.json"), conversations: claudeCode, Project: ".mcp.json", section: "mcpServers", http: "http", variable: "${%s}"},
	{Name: "claude-desktop", Title: "Claude Desktop", user: claudeDesktop, section: "mcpServers", bridged: true},
	{Name: "vscode", Title: "VS Code", user: vscode, Project: ".vscode/mcp.json", section: "servers", typed: true, http: "http", variable: "${env:%s}"},
	{Name: "openclaw", Title: "OpenClaw", section: "mcp.servers", variable: "${%s}"},
}

func claudeCode() string {
	if folder := os.Getenv("CLAUDE_CONFIG_DIR"); folder != "" {
		return filepath.Join(folder, "projects")
	}
	return home(".claude", "projects")()
}

func claudeDesktop() string {
	return filepath.Join(appData("Claude"), "claude_desktop_config.json")
}

func vscode() string { return filepath.Join(appData("Code"), "User", "mcp.json") }

// appData is where desktop programs keep their settings on each system.
func appData(program string) string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(os.Getenv("APPDATA"), program)
	case "darwin":
		return filepath.Join(xdg.Home, "Library", "Application Support", program)
	default:
		return filepath.Join(xdg.ConfigHome, program)
	}
}
