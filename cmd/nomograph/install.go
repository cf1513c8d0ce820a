package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"

	"nomograph/fault"
)

// client is a program that starts MCP servers.
type client struct {
	name, title string
	user        func() string // its configuration for this user; empty where we only show what to add
	project     string        // its configuration inside a project, where it has one
	section     string        // the key under which servers stand
	typed       bool          // whether an entry says that it is stdio
}

func home(parts ...string) func() string {
	return func() string { return filepath.Join(append([]string{xdg.Home}, parts...)...) }
}

var clients = []client{
	{name: "cursor", title: "Cursor", user: home(".cursor", "mcp.json"), project: ".cursor/mcp.json", section: "mcpServers"},
	{name: "claude-code", title: "Claude Code", user: home(".claude.json"), project: ".mcp.json", section: "mcpServers"},
	{name: "claude-desktop", title: "Claude Desktop", user: claudeDesktop, section: "mcpServers"},
	{name: "vscode", title: "VS Code", user: vscode, project: ".vscode/mcp.json", section: "servers", typed: true},
	{name: "openclaw", title: "OpenClaw", section: "mcp.servers"},
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

func (a *app) install() *cobra.Command {
	var project, show bool
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.name
	}
	command := &cobra.Command{
		Use:       "install " + strings.Join(names, "|"),
		Short:     "Write or show the configuration with which a client starts this server",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return usageError{fmt.Errorf("name one client: %s", strings.Join(names, ", "))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c := clients[slices.Index(names, args[0])]
			path := ""
			switch {
			case project && c.project == "":
				return usageError{fmt.Errorf("%s has no configuration inside a project", c.title)}
			case project:
				path = c.project
			case c.user != nil:
				path = c.user()
			}
			entry, err := serverEntry(c)
			if err != nil {
				return err
			}
			if show || path == "" {
				return showEntry(cmd, c, path, entry)
			}
			changed, err := writeEntry(path, c.section, entry)
			if err != nil {
				return err
			}
			if !changed {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s starts this server already: %s\n", c.title, path)
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s will start this server: %s\nRestart %s, or reload its MCP servers.\n", c.title, path, c.title)
			return err
		},
	}
	command.Flags().BoolVar(&project, "workspace", false, "write the configuration of this folder's project instead of the user's")
	command.Flags().BoolVar(&show, "show", false, "only show what would be written")
	return command
}

// serverEntry names this binary by its absolute path: clients start servers in folders of their own choosing, with a PATH
// that is seldom a shell's.
func serverEntry(c client) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("own path: %w", err)
	}
	entry := `{}`
	if c.typed {
		entry, _ = sjson.Set(entry, "type", "stdio")
	}
	entry, _ = sjson.Set(entry, "command", self) // constant paths
	entry, _ = sjson.Set(entry, "args", []string{"serve"})
	return entry, nil
}

func showEntry(cmd *cobra.Command, c client, path, entry string) error {
	document, err := sjson.SetRaw(`{}`, c.section+".nomograph", entry)
	if err != nil {
		return err
	}
	where := path
	text := string(pretty.Pretty([]byte(document)))
	if c.name == "openclaw" {
		where = "the gateway's configuration"
		converted, err := yaml.JSONToYAML([]byte(document))
		if err != nil {
			return err
		}
		text = string(converted)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Add this to %s:\n\n%s", where, text)
	return err
}

// writeEntry puts the entry into the client's JSON and leaves everything else in it as it is.
func writeEntry(path, section, entry string) (changed bool, err error) {
	document, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist), err == nil && len(strings.TrimSpace(string(document))) == 0:
		document = []byte(`{}`)
	case err != nil:
		return false, fault.Newf(fault.Unavailable, "%s cannot be read", path).WithHint("--show prints what to add by hand").Because(err)
	case !gjson.ValidBytes(document):
		return false, fault.Newf(fault.Conflict, "%s is not plain JSON, so nothing was written", path).
			WithHint("It may hold comments; --show prints what to add by hand")
	}
	key := section + ".nomograph"
	if gjson.GetBytes(document, key).Raw == entry || gjson.GetBytes(pretty.Ugly(document), key).Raw == entry {
		return false, nil
	}
	next, err := sjson.SetRawBytes(document, key, []byte(entry))
	if err != nil {
		return false, err
	}
	if len(document) < 3 {
		next = pretty.Pretty(next)
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	aside := path + ".nomograph-new"
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, unwritable(path, err)
	}
	if err := os.WriteFile(aside, next, mode); err != nil {
		return false, unwritable(path, err)
	}
	if err := os.Rename(aside, path); err != nil {
		return false, unwritable(path, err)
	}
	return true, nil
}

func unwritable(path string, cause error) error {
	return fault.Newf(fault.Unavailable, "%s cannot be written", path).WithHint("--show prints what to add by hand").Because(cause)
}

func (c client) userPath() string {
	if c.user == nil {
		return ""
	}
	return c.user()
}
