package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/tidwall/pretty"
	"github.com/tidwall/sjson"

	"nomograph/config"
	"nomograph/tools"
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
		Use:   "install " + strings.Join(names, "|"),
		Short: "Write or show the configuration with which a client starts this server",
		Long: `Write the configuration with which a client starts this server. The flags that settings have, such as --toolsets, become
flags of the server. What is there stays as it is: other servers, comments, the order, and in an entry of ours everything
but the command and the flags that are given now.`,
		Example:   "  nomograph install cursor\n  nomograph install claude-code --toolsets core --show\n  nomograph install cursor --workspace      # .cursor/mcp.json of this folder, for everyone who works in it",
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
			options, err := a.serverOptions(cmd, project)
			if err != nil {
				return err
			}
			program := "nomograph" // a file that a team shares: the program is in another place for each of them
			if !project {
				if program, err = os.Executable(); err != nil {
					return fmt.Errorf("own path: %w", err)
				}
			}
			file, err := readClientFile(path, project)
			if err != nil {
				return err
			}
			edit, err := file.merge(c, program, options)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if show || path == "" {
				return showEntry(w, c, path, edit)
			}
			if edit.text == nil {
				_, err = fmt.Fprintf(w, "%s starts this server already: %s\n%s", c.title, path, edit.told())
				return err
			}
			if err := file.write(edit.text); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s will start this server: %s\n%sRestart %s, or reload its MCP servers.\n", c.title, path, edit.told(), c.title)
			if _, missing := exec.LookPath(program); missing != nil && err == nil {
				_, err = fmt.Fprintf(w, "The file names the program %s, which is not in your PATH.\n", program)
			}
			return err
		},
	}
	command.Flags().BoolVar(&project, "workspace", false, "write the configuration of this folder's project instead of the user's")
	command.Flags().BoolVar(&show, "show", false, "only show what would be written")
	return command
}

// serverOptions are the flags of settings that were given, as the server takes them: the name, and the value or nothing.
func (a *app) serverOptions(cmd *cobra.Command, shared bool) ([][]string, error) {
	if _, err := tools.Select(a.operations, a.config.Toolsets); err != nil {
		return nil, err
	}
	var options [][]string
	for _, s := range config.Settings {
		flag := cmd.Flags().Lookup(s.Flag)
		switch {
		case flag == nil || !flag.Changed:
		case flag.Value.Type() == "bool":
			options = append(options, []string{"--" + s.Flag + map[bool]string{false: "=false"}[flag.Value.String() == "true"]})
		default:
			options = append(options, []string{"--" + s.Flag, flag.Value.String()})
		}
	}
	if file := cmd.Flags().Lookup("config"); file.Changed {
		path := file.Value.String()
		if !shared { // clients start servers in folders of their own choosing
			path, _ = filepath.Abs(path) // the file was read
		}
		options = append(options, []string{"--config", path})
	}
	return options, nil
}

func showEntry(w io.Writer, c client, path string, edit clientEdit) error {
	document, err := sjson.SetRaw(`{}`, c.section+".nomograph", edit.entry)
	if err != nil {
		return err
	}
	if c.name == "openclaw" {
		text, err := yaml.JSONToYAML([]byte(document))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "Add this to the gateway's configuration:\n\n%s", text)
		return err
	}
	lead := "This would be written to " + path
	if edit.text == nil {
		lead = "This stands already in " + path
	}
	_, err = fmt.Fprintf(w, "%s:\n\n%s%s", lead, pretty.Pretty([]byte(document)), edit.told())
	return err
}

func (c client) userPath() string {
	if c.user == nil {
		return ""
	}
	return c.user()
}
