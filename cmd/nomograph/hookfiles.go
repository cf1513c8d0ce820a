package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
)

func hookFileNames() []string {
	names := make([]string, len(clients.HookFiles))
	for i, h := range clients.HookFiles {
		names[i] = h.Name
	}
	return names
}

// hookFile gives the file that a command means, and its path.
func hookFile(args []string, workspace bool) (clients.HookFile, string, error) {
	h, ok := clients.FindHookFile(args[0])
	if !ok {
		return h, "", arguments.Usagef("the hooks of %s are not written; name one of %s. docs/guides/hooks.md shows what to add for others", args[0], strings.Join(hookFileNames(), ", "))
	}
	if workspace {
		return h, filepath.FromSlash(h.Project), nil
	}
	path, err := h.User()
	return h, path, err
}

// hookInstall writes the hook into a client's configuration.
func (a *app) hookInstall() *cobra.Command {
	var workspace, show bool
	command := a.ofHook(&cobra.Command{
		Use:   "install " + strings.Join(hookFileNames(), "|"),
		Short: "Add the hook to a client's configuration",
		Long: `Add the hook to a client's configuration. Other hooks, comments and the order stay. Codex trusts a changed file only after you
review it there.`,
		Example: "  nomograph hook install claude-code\n  nomograph hook install cursor --workspace\n  nomograph hook install codex --show",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, path, err := hookFile(args, workspace)
			if err != nil {
				return err
			}
			program, err := os.Executable()
			if err != nil {
				return err
			}
			if workspace { // others have it elsewhere
				program = "nomograph"
			} else if strings.ContainsAny(program, " '") {
				program = `"` + program + `"`
			}
			return a.editHooks(cmd, h, path, workspace, program+" hook "+h.Name, show)
		},
	})
	command.Flags().BoolVar(&workspace, "workspace", false, "the file of this folder, for everyone who works in it")
	command.Flags().BoolVar(&show, "show", false, "only show the file as it would be")
	return command
}

// hookRemove takes it out again.
func (a *app) hookRemove() *cobra.Command {
	var workspace, show bool
	command := a.ofHook(&cobra.Command{
		Use:     "remove " + strings.Join(hookFileNames(), "|"),
		Short:   "Remove the hook from a client's configuration",
		Example: "  nomograph hook remove cursor\n  nomograph hook remove claude-code --workspace",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, path, err := hookFile(args, workspace)
			if err != nil {
				return err
			}
			return a.editHooks(cmd, h, path, workspace, "", show)
		},
	})
	command.Flags().BoolVar(&workspace, "workspace", false, "the file of this folder")
	command.Flags().BoolVar(&show, "show", false, "only show the file as it would be")
	return command
}

// ofHook makes a command below hook, which does not answer a client: settings that are wrong are errors there.
func (a *app) ofHook(command *cobra.Command) *cobra.Command {
	command.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) }
	if command.Args == nil {
		command.ValidArgs = hookFileNames()
		command.Args = func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return arguments.Usagef("name one client: %s", strings.Join(hookFileNames(), ", "))
			}
			return nil
		}
	}
	return command
}

func (a *app) editHooks(cmd *cobra.Command, h clients.HookFile, path string, workspace bool, run string, show bool) error {
	edit, err := h.Edit(path, workspace, run)
	if err != nil {
		return err
	}
	said := "updated"
	switch {
	case show:
		_, err = fmt.Fprint(cmd.OutOrStdout(), strings.TrimRight(edit.String(), "\n")+"\n")
		return err
	case edit.Same:
		said = "unchanged"
	default:
		if err := edit.Write(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", edit.Path, said)
	return err
}

// hookStatus lists where the hook is installed.
func (a *app) hookStatus() *cobra.Command {
	return a.ofHook(&cobra.Command{
		Use:     "status",
		Short:   "List the clients whose configuration has the hook",
		Long:    "List the configuration files of clients with the events that call this program, for this user and this folder.",
		Example: "  nomograph hook status\n  nomograph hook status -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows := []map[string]any{}
			for _, h := range clients.HookFiles {
				user, err := h.User()
				if err != nil {
					return err
				}
				for _, file := range []string{user, filepath.FromSlash(h.Project)} {
					events, err := h.Installed(file)
					row := map[string]any{"client": h.Name, "file": file, "events": events, "missing": len(h.Events) - len(events)}
					if err != nil {
						row["problem"] = err.Error()
					}
					rows = append(rows, row)
				}
			}
			if a.form.Name != "" || len(a.form.Fields) > 0 {
				return a.form.Print(cmd.OutOrStdout(), map[string]any{"hooks": rows})
			}
			for _, row := range rows {
				events, _ := row["events"].([]string)
				said := strings.Join(events, ", ")
				if row["problem"] != nil {
					said = fmt.Sprint(row["problem"])
				} else if said == "" {
					said = "not installed"
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s: %s\n", row["client"], row["file"], said); err != nil {
					return err
				}
			}
			return nil
		},
	})
}
