package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
	"nomograph/config"
	"nomograph/tools"
)

func (a *app) install() *cobra.Command {
	var project, show bool
	names := make([]string, len(clients.All))
	for i, c := range clients.All {
		names[i] = c.Name
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
				return arguments.Usagef("name one client: %s", strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c := clients.All[slices.Index(names, args[0])]
			path := c.User()
			if project {
				if path = c.Project; path == "" {
					return arguments.Usagef("%s has no configuration inside a project", c.Title)
				}
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
			edit, err := c.Edit(path, project, program, options)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if show || path == "" {
				text, err := edit.Shown()
				if err != nil {
					return err
				}
				_, err = io.WriteString(w, text)
				return err
			}
			if edit.Same {
				_, err = fmt.Fprintf(w, "%s starts this server already: %s\n%s", c.Title, path, edit)
				return err
			}
			if err := edit.Write(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s will start this server: %s\n%sRestart %s, or reload its MCP servers.\n", c.Title, path, edit, c.Title)
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
