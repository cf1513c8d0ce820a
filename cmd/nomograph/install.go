package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
	"nomograph/internal/config"
	"nomograph/tools"
)

func (a *app) install() *cobra.Command { return a.installCommand(false) }

// memoryInstall is install with the client's conversations: the server that the client starts imports them
// continuously.
func (a *app) memoryInstall() *cobra.Command { return a.installCommand(true) }

func (a *app) installCommand(remembers bool) *cobra.Command {
	var project, show, remove bool
	var container string
	names := make([]string, len(clients.All()))
	for i, c := range clients.All() {
		names[i] = c.Name
	}
	command := &cobra.Command{
		Use:       "install " + strings.Join(names, "|"),
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return arguments.Usagef("name one client: %s", strings.Join(names, ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c := clients.All()[slices.Index(names, args[0])]
			path, err := c.Project, error(nil)
			switch {
			case !project:
				path, err = c.User()
			case path == "":
				err = arguments.Usagef("%s has no project configuration: leave out --workspace", c.Title)
			}
			if err != nil {
				return err
			}
			if remove {
				return removeEntry(cmd.OutOrStdout(), c, path, project, show)
			}
			connection, err := a.clientConnection(cmd, project, container)
			if err != nil {
				return err
			}
			if remembers {
				if connection.Options, err = conversationOptions(c, connection, project); err != nil {
					return err
				}
			}
			edit, err := c.Edit(path, project, connection)
			if err != nil {
				return err
			}
			w, reaches := cmd.OutOrStdout(), "start"
			if connection.URL != "" {
				reaches = "ask"
			}
			switch {
			case show || path == "":
				text, err := edit.Preview()
				if err != nil {
					return err
				}
				_, err = io.WriteString(w, text+c.NextSteps(connection))
				return err
			case edit.Starts != "":
				_, err = fmt.Fprintf(w, "%s has a different entry nomograph, which stays unchanged: %s\n%s", c.Title,
					path, edit)
				return err
			case edit.Same:
				_, err = fmt.Fprintf(w, "%s %ss this server already: %s\n%s", c.Title, reaches, path, edit)
				return cmp.Or(err, warnOtherProgram(w, connection))
			}
			if err := edit.Write(); err != nil {
				return err
			}
			_, err = fmt.Fprintf(w, "%s will %s this server: %s\n%s%sRestart %s, or reload its MCP servers.\n", c.Title,
				reaches, path, edit, c.NextSteps(connection), c.Title)
			return cmp.Or(err, warnOtherProgram(w, connection))
		},
	}
	command.Flags().BoolVar(&project, "workspace", false,
		"write the project configuration of the current directory instead of the user's")
	command.Flags().BoolVar(&show, "show", false, "print the change and write nothing")
	command.Flags().BoolVar(&remove, "remove", false, "remove the entry")
	command.Flags().StringVar(&container, "docker", "", "container in which to start the server with docker exec -i")
	return command
}

// warnOtherProgram prints a notice if the program in the file is not this one.
func warnOtherProgram(w io.Writer, connection clients.Connection) error {
	if connection.Program == "" {
		return nil
	}
	found, err := exec.LookPath(connection.Program)
	if err != nil {
		_, err = fmt.Fprintf(w, "The file names the program %s, which is not in your PATH.\n", connection.Program)
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own path: %w", err)
	}
	one, err := os.Stat(found)
	other, otherErr := os.Stat(self)
	if err == nil && otherErr == nil && !os.SameFile(one, other) {
		_, err = fmt.Fprintf(w, "The file names the program %s. Your PATH has %s, which differs from this program: %s\n", connection.Program, found, self)
		return err
	}
	return nil
}

// conversationOptions adds the client's conversations to the options of the server that it starts.
func conversationOptions(c clients.Client, connection clients.Connection, shared bool) ([][]string, error) {
	folder, err := c.Conversations()
	switch {
	case err != nil:
		return nil, err
	case folder == "":
		return nil, arguments.Usagef("cannot read the conversations of %s directly: export them, then run nomograph import sessions FILE", c.Title)
	case connection.URL != "" || connection.Container != "":
		return nil, arguments.Usagef("a server elsewhere cannot read conversation files of this machine: run nomograph import sessions %s --watch here, with the database of that server", folder)
	case shared:
		return nil, arguments.Usagef("conversations belong to one user: leave out --workspace")
	}
	return append(connection.Options, []string{"--remember", folder}), nil
}

// clientConnection returns how the client reaches the server, from the flags and settings of this command.
func (a *app) clientConnection(cmd *cobra.Command, shared bool, container string) (clients.Connection, error) {
	var w clients.Connection
	options, err := a.serverOptions(cmd, shared)
	if err != nil {
		return w, err
	}
	name, _ := cmd.Flags().GetString(tokenFlag)
	if a.config.URL == "" || container != "" {
		switch {
		case cmd.Flags().Changed("url"):
			return w, arguments.Usagef("--docker starts a server and --url names a running one: use one of them")
		case name != "":
			return w, arguments.Usagef("--%s needs --url", tokenFlag)
		case container != "":
			return clients.Connection{Container: container, Options: options}, nil
		case shared: // in a shared file, the program has another path for each user
			return clients.Connection{Program: "nomograph", Options: options}, nil
		}
		program, err := os.Executable()
		if err != nil {
			return w, fmt.Errorf("own path: %w", err)
		}
		return clients.Connection{Program: program, Options: options}, nil
	}
	if len(options) > 0 {
		return w, arguments.Usagef("%s is a setting of the running server: set it there", options[0][0])
	}
	if name == "" && a.config.Origins["remote.token"] == "the environment" {
		name = tokenVariable
	}
	if err := checkVariable(name); err != nil {
		return w, err
	}
	o := client.Options{URL: a.config.URL, AllowHTTP: a.config.AllowHTTP}
	if name != "" {
		o.Token = name // any value: only checks whether a token may be sent there
	}
	cl, err := client.New(o)
	if err != nil {
		return w, err
	}
	return clients.Connection{URL: cl.Server() + "/mcp", TokenEnv: name}, nil
}

// serverOptions returns the given setting flags as the server accepts them: name and optional value.
func (a *app) serverOptions(cmd *cobra.Command, shared bool) ([][]string, error) {
	if _, err := tools.Select(a.operations, a.config.Toolsets); err != nil {
		return nil, err
	}
	var options [][]string
	for _, s := range config.Settings {
		flag := cmd.Flags().Lookup(s.Flag)
		switch {
		case flag == nil || !flag.Changed || strings.HasPrefix(s.Key, "remote."):
		case flag.Value.Type() == "bool":
			options = append(options, []string{"--" + s.Flag + map[bool]string{false: "=false"}[flag.Value.String() == "true"]})
		default:
			options = append(options, []string{"--" + s.Flag, flag.Value.String()})
		}
	}
	if file := cmd.Flags().Lookup("config"); file.Changed {
		path := file.Value.String()
		if !shared { // clients start servers in arbitrary directories
			path, _ = filepath.Abs(path) // cannot fail, since the file was read
		}
		options = append(options, []string{"--config", path})
	}
	return options, nil
}
