package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
	"nomograph/cmd/nomograph/files"
	"nomograph/graph/engine"
	"nomograph/internal/disk"
	"nomograph/internal/normalize"
)

// step is one change of a command that shows all its changes first.
type step struct {
	path, state string
	do          func() error // nil if there is nothing to do
}

// carryOut shows the steps and does them: with --yes, or if the person at the terminal agrees.
func (a *app) carryOut(cmd *cobra.Command, steps []step, yes bool, question, then string) error {
	w, todo := cmd.OutOrStdout(), 0
	for _, s := range steps {
		if s.do != nil {
			todo++
		}
		if _, err := fmt.Fprintf(w, "%s: %s\n", s.path, s.state); err != nil {
			return err
		}
	}
	if todo == 0 {
		return nil
	}
	if who := a.terminalUser(cmd.ErrOrStderr(), func() {}); !yes && who != nil {
		yes = strings.EqualFold(answerOf(cmd.Context(), who, question, "answer", "yes, or nothing to cancel"), "yes")
	}
	if !yes {
		_, err := fmt.Fprintln(w, "Nothing was changed. Do it with --yes.")
		return err
	}
	for _, s := range steps {
		if s.do == nil {
			continue
		}
		if err := s.do(); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, then)
	return err
}

//go:embed scaffold.yaml
var packScaffold string

//go:embed scaffold-ci.yaml
var ciScaffold string

var packName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,60}$`)

// scaffold returns a pack with a threshold, a rule and two cases.
func scaffold(name string) (string, error) {
	if !packName.MatchString(name) {
		return "", arguments.Usagef("a pack's name has lower-case letters, digits, - and _, and begins with a letter: not %q", name)
	}
	return strings.ReplaceAll(packScaffold, "NAME", name), nil
}

// policyNew writes the scaffold of a pack.
func (a *app) policyNew() *cobra.Command {
	return command("new NAME", exactly(1, "name the pack"), func(cmd *cobra.Command, args []string) error {
		text, err := scaffold(args[0])
		if err != nil {
			return err
		}
		file := args[0] + ".yaml"
		if err := files.WriteText(file, false, 0o644, []byte(text)); err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nTest it:  %[2]s policy test ./%[1]s\nApply it: %[2]s policy apply ./%[1]s\n", file, os.Args[0])
		return err
	})
}

// initialize sets up a repository: a pack with cases, the entry and hooks of clients, and a CI file.
func (a *app) initialize() *cobra.Command {
	initialize := command("init", cobra.NoArgs, nil)
	yes := initialize.Flags().BoolP("yes", "y", false, "write without asking")
	initialize.RunE = func(cmd *cobra.Command, _ []string) error {
		steps, err := a.initSteps(cmd)
		if err != nil {
			return err
		}
		return a.carryOut(cmd, steps, *yes, "Write these files?",
			fmt.Sprintf("Next: %[1]s policy test ./policies, then %[1]s policy apply ./policies", os.Args[0]))
	}
	return initialize
}

// projectClients are the clients whose files init writes, with the folder that shows that the project uses them.
// Cursor needs none.
var projectClients = []struct{ name, folder string }{{"cursor", "."}, {"claude-code", ".claude"}, {"vscode", ".vscode"}}

func (a *app) initSteps(cmd *cobra.Command) ([]step, error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(normalize.Name(filepath.Base(here)), "-"),
		"-_0123456789")
	if !packName.MatchString(name) {
		name = "project"
	}
	text, err := scaffold(name)
	if err != nil {
		return nil, err
	}
	packs, err := filepath.Glob(filepath.Join("policies", "*.y*ml"))
	if err != nil {
		return nil, err
	}
	file := filepath.Join("policies", name+".yaml")
	if len(packs) > 0 {
		file = packs[0]
	}
	steps := []step{newFile(file, text)}
	if _, err := os.Stat(".github"); err == nil {
		steps = append(steps, newFile(filepath.Join(".github", "workflows", "policies.yml"), ciScaffold))
	}
	for _, used := range projectClients {
		if _, err := os.Stat(used.folder); err != nil {
			continue
		}
		c, _ := clients.Find(used.name)
		edit, err := c.Edit(c.Project, true, clients.Connection{Program: "nomograph"})
		if err != nil {
			return nil, err
		}
		steps = append(steps, editing(c.Project, "entry of the MCP server", edit.Same, edit.Write))
		h, _ := clients.FindHookFile(used.name)
		if h.Project == "" || used.name == "vscode" { // VS Code's hooks are in preview: hook install vscode adds them
			continue
		}
		hook, err := a.hookFor(cmd, h, hookPlace{workspace: true}, viaCommand, nil)
		if err != nil {
			return nil, err
		}
		hooked, err := h.Edit(h.Project, true, hook)
		if err != nil {
			return nil, err
		}
		steps = append(steps, editing(h.Project, "hooks that check actions", hooked.Same, hooked.Write))
	}
	return steps, nil
}

// newFile writes a file of the working directory. The author of a repository cannot choose another place with a link.
func newFile(path, text string) step {
	_, err := os.Lstat(path)
	return editing(path, "new file", err == nil, func() error {
		here, err := os.OpenRoot(".")
		if err != nil {
			return files.NotWritten(path, err)
		}
		defer func() { _ = here.Close() }()
		if err := here.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return files.NotWritten(filepath.Dir(path), err)
		}
		file, err := here.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return files.NotWritten(path, err)
		}
		_, err = file.WriteString(text)
		return errors.Join(err, file.Close())
	})
}

func editing(path, what string, same bool, write func() error) step {
	if same {
		return step{path, "unchanged", nil}
	}
	return step{path, what, write}
}

// uninstall lists and removes what Nomograph put on the machine for this user.
func (a *app) uninstall() *cobra.Command {
	uninstall := command("uninstall", cobra.NoArgs, nil)
	yes := uninstall.Flags().BoolP("yes", "y", false, "remove without asking")
	data := uninstall.Flags().Bool("data", false, "also the graph of the private Neo4j, settings and keys")
	uninstall.RunE = func(cmd *cobra.Command, _ []string) error {
		steps, err := clientSteps()
		if err != nil {
			return err
		}
		folders, err := a.folderSteps(cmd, *data)
		if err != nil {
			return err
		}
		if steps = append(steps, folders...); len(steps) == 0 {
			_, err = io.WriteString(cmd.OutOrStdout(), "Nothing is installed for this user.\n")
			return err
		}
		return a.carryOut(cmd, steps, *yes, "Remove these?", "Removed.")
	}
	return uninstall
}

// clientSteps returns the removal of entries and hooks from the files of clients.
func clientSteps() (steps []step, err error) {
	for _, c := range clients.All() {
		path, err := c.User()
		if err != nil || path == "" {
			continue
		}
		edit, err := c.Remove(path, false)
		switch {
		case err != nil:
			steps = append(steps, step{path, err.Error(), nil})
		case !edit.Same:
			steps = append(steps, step{path, "entry of the MCP server", edit.Write})
		}
	}
	for _, h := range clients.HookFiles() {
		paths, _ := h.Files(clients.ForUser) // none if the client has no hooks for users
		for _, path := range paths {
			found, err := h.Installed(path)
			if err != nil || len(found) == 0 && h.Extras(path) == 0 {
				continue
			}
			edit, err := h.Edit(path, false, clients.Hook{})
			if err != nil {
				return nil, err
			}
			steps = append(steps, step{edit.Path, "hooks", edit.Write})
		}
	}
	return steps, nil
}

// folderSteps returns the removal of folders, after their engines have stopped.
func (a *app) folderSteps(cmd *cobra.Command, data bool) (steps []step, err error) {
	o, demo := a.engineOptions(), a.engineOptions()
	if demo.Dir, err = disk.Data("nomograph", "demo"); err != nil {
		return nil, err
	}
	for _, folder := range []struct {
		of   func(...string) (string, error)
		what string
		data bool
	}{{disk.Cache, "cache: jars of Neo4j, class data, hooks' answers", false},
		{disk.Data, "DATA: the graph of the private Neo4j, keys, trusted folders", true},
		{disk.Config, "settings", true}} {
		path, err := folder.of("nomograph")
		if err != nil {
			return nil, err
		}
		switch _, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
		case folder.data && !data:
			steps = append(steps, step{path, "stays (--data removes it)", nil})
		default:
			steps = append(steps, step{path, folder.what, func() error {
				return errors.Join(engine.Stop(cmd.Context(), o), engine.Stop(cmd.Context(), demo), os.RemoveAll(path))
			}})
		}
	}
	return steps, nil
}
