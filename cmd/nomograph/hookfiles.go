package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/clients"
	"nomograph/cmd/nomograph/output"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/loopback"
)

// hookPlace holds the flags that select a hook file.
type hookPlace struct{ workspace, user, managed, show bool }

func (p *hookPlace) flags(command *cobra.Command) {
	command.Flags().BoolVar(&p.workspace, "workspace", false,
		"write the project configuration of the current directory instead of the user's")
	command.Flags().BoolVar(&p.workspace, "project", false, "the same as --workspace")
	command.Flags().BoolVar(&p.user, "user", false, "write the user's configuration (default)")
	command.Flags().BoolVar(&p.managed, "managed", false,
		"write the configuration of the machine, which users cannot change")
	command.Flags().BoolVar(&p.show, "show", false, "print the change and write nothing")
}

// scope returns the selected scope. For Git it is always the project.
func (p *hookPlace) scope(h clients.HookFile) clients.Scope {
	switch {
	case p.managed:
		return clients.ForMachine
	case p.workspace || h.Name == "git" && !p.user:
		return clients.ForProject
	}
	return clients.ForUser
}

// hookFile returns the client that a command refers to.
func hookFile(args []string) (clients.HookFile, error) {
	h, ok := clients.FindHookFile(args[0])
	if !ok {
		return h, arguments.Usagef("cannot write the hooks of %s; name one of %s. For other clients, see docs/guides/hooks.md", args[0], strings.Join(clients.HookFileNames(), ", "))
	}
	return h, nil
}

// Ways in which a hook calls Nomograph.
const (
	viaCommand = "command"
	viaHTTP    = "http"
)

// hookInstall adds the hook to a client's configuration.
func (a *app) hookInstall() *cobra.Command {
	var place hookPlace
	var via string
	var without []string
	command := a.ofHook(&cobra.Command{
		Use: "install CLIENT",
		Long: `Add the hook to a client's configuration. Other hooks, comments and the order stay.

Claude Code calls a server over HTTP, without starting a process, if --url or server.http names one. Other clients, and Claude Code with
--via command, run nomograph hook CLIENT.

The command also adds hooks that never stop the client, if the client has events for them. --without omits groups of these hooks:
  executions       record which calls were executed, for nomograph verdict coverage
  session-context  give the model rules, action items and earlier decisions at the start of a session
  prompt-context   give the model earlier decisions and rules that fit a prompt
  session-end      list what to review, and import the session's transcript

Clients: ` + strings.Join(clients.HookFileNames(), ", ") + ".",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := hookFile(args)
			if err != nil {
				return err
			}
			hook, err := a.hookFor(cmd, h, place, via, without)
			if err != nil {
				return err
			}
			if err := a.editHooks(cmd, h, place, hook); err != nil {
				return err
			}
			if notes := notesOn(h, place, hook); notes != "" && !place.show {
				_, err = fmt.Fprintln(cmd.ErrOrStderr(), notes)
			}
			return err
		},
	})
	place.flags(command)
	command.Flags().StringSliceVar(&without, "without", nil,
		"groups of events to leave out: executions, session-context, prompt-context, session-end")
	command.Flags().StringVar(&via, "via", "", "command or http (default http for claude-code if a server is named)")
	return command
}

// notesOn returns what the user must know or do after an installation. A file of a project names the program without
// its folder.
func notesOn(h clients.HookFile, place hookPlace, hook clients.Hook) string {
	if place.scope(h) != clients.ForProject || h.Name == "git" || hook.Command == "" {
		return h.Note
	}
	c := h.Contract()
	note := fmt.Sprintf("The file calls nomograph without a folder, because others use it too. Where nomograph is not on PATH, the hook does not run; %s then fails %s", c.Title, c.Failure)
	if _, err := exec.LookPath("nomograph"); err != nil {
		note += "\nnomograph is not on PATH here: add its folder to PATH, or install the hook for the user"
	}
	return strings.TrimSpace(note + "\n" + h.Note)
}

// extrasOf returns the groups of events of a client, except those left out.
func extrasOf(h clients.HookFile, without []string) (clients.Extra, error) {
	groups := h.Has()
	for _, name := range without {
		at := slices.IndexFunc(clients.Extras, func(e clients.ExtraGroup) bool { return e.Name == name })
		if at < 0 {
			return 0, arguments.Usagef("--without names executions, session-context, prompt-context or session-end, not %q", name)
		}
		groups &^= clients.Extras[at].Group
	}
	return groups, nil
}

// hookFor returns the hook to write into a client's configuration, without some groups of events.
func (a *app) hookFor(cmd *cobra.Command, h clients.HookFile, place hookPlace, via string,
	without []string) (hook clients.Hook, err error) {
	if via != "" && via != viaCommand && via != viaHTTP {
		return hook, arguments.Usagef("--via is %s or %s", viaCommand, viaHTTP)
	}
	if via == viaHTTP && !h.HTTP() {
		return hook, arguments.Usagef("%s takes no HTTP hook that blocks if the server does not answer; leave out --via", h.Name)
	}
	if hook.Program, err = programFor(h, place); err != nil {
		return hook, err
	}
	if hook.Extras, err = extrasOf(h, without); err != nil {
		return hook, err
	}
	server, own := a.config.URL, false
	if server == "" && (a.config.HTTP != "" || via == viaHTTP) {
		server, own = a.ownServer().URL, true
	}
	if local := own || onLoopback(server); via == "" &&
		(place.workspace && local || own && a.config.TLSCertificate != "") { // a workspace file is shared with users who run no server, and a certificate is valid for its host name, not for 127.0.0.1
		server = ""
	}
	if !h.HTTP() || server == "" || via == viaCommand {
		hook.Command = hook.Program
		return hook, nil
	}
	asked, err := client.New(client.Options{URL: server, Token: a.config.Token, AllowHTTP: a.config.AllowHTTP})
	if err != nil {
		return hook, err
	}
	hook.URL, hook.Agent = asked.Server()+"/hooks/"+h.Name+"?contract="+hooks.Contract, a.agent()
	if name, _ := cmd.Flags().GetString(tokenFlag); name != "" || a.config.Token != "" {
		hook.Token, hook.Agent = cmp.Or(name, tokenVariable), ""
	}
	return hook, checkVariable(hook.Token)
}

// programFor returns the command that answers a client's events.
func programFor(h clients.HookFile, place hookPlace) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	if place.workspace && h.Name != "git" { // the program is elsewhere on other machines
		return "nomograph hook " + h.Name, nil
	}
	word := " hook "
	if lean := filepath.Join(filepath.Dir(program), leanProgram+filepath.Ext(program)); h.Name != "git" &&
		isFile(lean) { // the lean program starts faster
		program, word = lean, " "
	}
	if strings.ContainsAny(program, " '") {
		program = `"` + program + `"`
	}
	return program + word + h.Name, nil
}

// leanProgram is the program that answers hooks through a running server: cmd/nomograph-hook.
const leanProgram = "nomograph-hook"

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// onLoopback reports whether a server is on this machine.
func onLoopback(server string) bool {
	u, err := url.Parse(server)
	return err == nil && loopback.Is(u.Hostname())
}

// hookRemove removes the hook.
func (a *app) hookRemove() *cobra.Command {
	var place hookPlace
	command := a.ofHook(&cobra.Command{
		Use: "remove CLIENT",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := hookFile(args)
			if err != nil {
				return err
			}
			return a.editHooks(cmd, h, place, clients.Hook{})
		},
	})
	place.flags(command)
	return command
}

// ofHook sets up a subcommand of hook. It does not answer a client, so invalid settings are ordinary errors.
func (a *app) ofHook(command *cobra.Command) *cobra.Command {
	command.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) }
	if command.Args == nil {
		command.ValidArgs = clients.HookFileNames()
		command.Args = func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return arguments.Usagef("name one client: %s", strings.Join(clients.HookFileNames(), ", "))
			}
			return nil
		}
	}
	return command
}

func (a *app) editHooks(cmd *cobra.Command, h clients.HookFile, place hookPlace, hook clients.Hook) error {
	if err := arguments.OnlyOne(cmd, "workspace", "project", "user", "managed"); err != nil {
		return err
	}
	scope := place.scope(h)
	paths, err := h.Files(scope)
	if err != nil {
		return err
	}
	edits := make([]clients.HookEdit, len(paths))
	for i, path := range paths { // write none if one of them fails
		if edits[i], err = h.Edit(path, scope == clients.ForProject && h.Name != "git", hook); err != nil {
			return err
		}
	}
	for _, edit := range edits {
		text := edit.Path + ": unchanged\n"
		switch {
		case place.show:
			text = strings.TrimRight(edit.String(), "\n") + "\n"
		case !edit.Same:
			if err := edit.Write(); err != nil {
				return err
			}
			text = edit.Path + ": updated\n"
		}
		if _, err = io.WriteString(cmd.OutOrStdout(), text); err != nil {
			return err
		}
		if place.show || hook == (clients.Hook{}) {
			continue
		}
		for _, problem := range h.Problems(edit.Path, scope, a.hookServers()...) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", edit.Path, problem)
		}
	}
	return nil
}

// hookServers returns the hosts of the servers of the settings.
func (a *app) hookServers() (hosts []string) {
	for _, address := range []string{a.config.URL, a.ownServer().URL} {
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	return hosts
}

// hookStatus lists the files with the hook.
func (a *app) hookStatus() *cobra.Command {
	return a.ofHook(command("status", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		rows, text := []map[string]any{}, ""
		for _, h := range clients.HookFiles() {
			for _, scope := range clients.Scopes {
				files, err := h.Files(scope)
				row := map[string]any{"client": h.Name, "scope": string(scope), "file": h.Project, "events": []string{}}
				switch {
				case err == nil:
					a.addStatus(row, h, scope, files)
				case apperr.Is(err, apperr.Conflict):
					row["problem"] = err.Error()
				default: // the client does not support other scopes
					continue
				}
				rows = append(rows, row)
				text += fmt.Sprintf("%-12s %s: %s\n", h.Name, row["file"], statusText(row))
			}
		}
		if a.form.Name == "" && len(a.form.Fields) == 0 {
			return output.Write(cmd.OutOrStdout(), text)
		}
		return a.form.Print(cmd.OutOrStdout(), map[string]any{"hooks": rows})
	}))
}

// addStatus adds the events with a hook for Nomograph in a client's files of one scope.
func (a *app) addStatus(row map[string]any, h clients.HookFile, scope clients.Scope, files []string) {
	if row["file"] = files[0]; len(files) > 1 {
		row["file"] = filepath.Dir(files[0])
	}
	events, problems, installed := []string{}, []string{}, clients.Extra(0)
	for _, file := range files {
		problems = append(problems, h.Problems(file, scope, a.hookServers()...)...)
		found, err := h.Installed(file)
		if err != nil {
			row["problem"] = err.Error()
		}
		events, installed = append(events, found...), installed|h.Extras(file)
	}
	row["events"], row["missing"], row["problems"] = events, len(h.Checks())-len(events), problems
	if len(events) == 0 {
		return
	}
	addFired(row, h.Name, events)
	addTrust(row, h, files[0])
	for _, extra := range clients.Extras {
		if h.Has()&extra.Group != 0 {
			row[strings.ReplaceAll(extra.Name, "-", "_")] = installed&extra.Group != 0
		}
	}
}

// statusText says which events are installed, when they last occurred, and what they do.
func statusText(row map[string]any) string {
	if row["problem"] != nil {
		return fmt.Sprint(row["problem"])
	}
	events, _ := row["events"].([]string)
	if len(events) == 0 {
		return "not installed"
	}
	text := strings.Join(events, ", ") + "; never fired"
	list := func(field, says, between string) {
		if all, _ := row[field].([]string); len(all) > 0 {
			text += says + strings.Join(all, between)
		}
	}
	if at, ok := row["last_fired"].(string); ok {
		text = strings.Join(events, ", ") + "; last fired " + at
		if row["version"] != nil {
			text += fmt.Sprint(" by version ", row["version"])
		}
		list("never_seen", "; never seen: ", ", ")
	}
	for _, does := range [][2]string{{"session_context", "gives the session context"},
		{"prompt_context", "gives what fits a prompt"}, {"session_end", "handles the end of sessions"},
		{"executions", "records executions"}} {
		if row[does[0]] == true {
			text += "; " + does[1]
		}
	}
	list("untrusted", "; not trusted yet: ", ", ")
	list("problems", "; it may stop nothing: ", "; ")
	return text
}
