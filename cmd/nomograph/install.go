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

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
	"nomograph/internal/config"
	"nomograph/tools"
)

func (a *app) install() *cobra.Command { return a.installCommand(false) }

// installCommand returns install or memory install, which adds the client's conversations: the server that the client
// starts imports them continuously.
func (a *app) installCommand(remembers bool) *cobra.Command {
	var names []string
	for _, c := range clients.All() {
		names = append(names, c.Name)
	}
	install := command("install "+strings.Join(names, "|"), func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || !slices.Contains(names, args[0]) {
			return arguments.Usagef("name one client: %s", strings.Join(names, ", "))
		}
		return nil
	}, nil)
	install.ValidArgs = names
	project := install.Flags().Bool("workspace", false,
		"write the project configuration of the current directory instead of the user's")
	show := install.Flags().Bool("show", false, "print the change and write nothing")
	remove := install.Flags().Bool("remove", false, "remove the entry")
	container := install.Flags().String("docker", "", "container in which to start the server with docker exec -i")
	install.RunE = func(cmd *cobra.Command, args []string) error {
		c, _ := clients.Find(args[0])
		path, err := c.User()
		if *project {
			if path, err = c.Project, nil; path == "" {
				err = arguments.Usagef("%s has no project configuration: leave out --workspace", c.Title)
			}
		}
		if err != nil {
			return err
		}
		if *remove {
			return removeEntry(cmd.OutOrStdout(), c, path, *project, *show)
		}
		connection, err := a.clientConnection(cmd, *project, *container)
		if err != nil {
			return err
		}
		if remembers {
			if connection.Options, err = conversationOptions(c, connection, *project); err != nil {
				return err
			}
		}
		edit, err := c.Edit(path, *project, connection)
		if err != nil {
			return err
		}
		return installEntry(cmd.OutOrStdout(), c, path, connection, edit, *show)
	}
	return install
}

// installEntry writes a client's entry for this server unless it is only shown, and says so.
func installEntry(w io.Writer, c clients.Client, path string, connection clients.Connection, edit clients.Edit,
	show bool) error {
	var text string
	reaches := "start"
	if connection.URL != "" {
		reaches = "ask"
	}
	switch {
	case show || path == "":
		_, err := io.WriteString(w, edit.Preview()+c.NextSteps(connection))
		return err
	case edit.Starts != "":
		_, err := fmt.Fprintf(w, "%s has a different entry nomograph, which stays unchanged: %s\n%s", c.Title, path,
			edit)
		return err
	case edit.Same:
		text = fmt.Sprintf("%s %ss this server already: %s\n%s", c.Title, reaches, path, edit)
	default:
		if err := edit.Write(); err != nil {
			return err
		}
		text = fmt.Sprintf("%s will %s this server: %s\n%s%sRestart %s, or reload its MCP servers.\n", c.Title, reaches,
			path, edit, c.NextSteps(connection), c.Title)
	}
	_, err := io.WriteString(w, text+otherProgram(connection.Program))
	return err
}

// removeEntry removes a client's entry for this server.
func removeEntry(w io.Writer, c clients.Client, path string, project, show bool) error {
	if c.Unset != "" {
		_, err := fmt.Fprintf(w, "Run this:\n\n%s\n", c.Unset)
		return err
	}
	edit, err := c.Remove(path, project)
	done := fmt.Sprintf("%s no longer has an entry for this server: %s\n", c.Title, path)
	switch {
	case err != nil:
		return err
	case edit.Same:
		done = fmt.Sprintf("%s has no entry for this server: %s\n", c.Title, path)
	case show:
		done = "The entry nomograph would be removed from " + path + "\n"
	default:
		if err := edit.Write(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, done)
	return err
}

// otherProgram returns a notice if the program in the file is not this one.
func otherProgram(program string) string {
	found, err := exec.LookPath(program)
	switch {
	case program == "":
		return ""
	case err != nil:
		return "The file names the program " + program + ", which is not in your PATH.\n"
	}
	self, _ := os.Executable()
	one, err := os.Stat(found)
	if other, otherErr := os.Stat(self); err == nil && otherErr == nil && !os.SameFile(one, other) {
		return fmt.Sprintf("The file names the program %s. Your PATH has %s, which differs from this program: %s\n",
			program, found, self)
	}
	return ""
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
func (a *app) clientConnection(cmd *cobra.Command, shared bool, container string) (w clients.Connection, err error) {
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
		}
		w = clients.Connection{Program: "nomograph", Options: options, Container: container} // of a shared file
		if container != "" {
			w.Program = ""
		} else if !shared { // in a shared file, the program has another path for each user
			if w.Program, err = os.Executable(); err != nil {
				err = fmt.Errorf("own path: %w", err)
			}
		}
		return w, err
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
	// the token can be any value: this only checks whether one may be sent there
	cl, err := client.New(client.Options{URL: a.config.URL, AllowHTTP: a.config.AllowHTTP, Token: name})
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
