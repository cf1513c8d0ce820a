package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/graph/engine"
	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/document"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
	"nomograph/tools"
)

// app is the state that the subcommands of one process share.
type app struct {
	config config.Config
	log    zerolog.Logger
	form   output.Form
	quiet  bool

	args       []string // command-line arguments; nil if all commands are created
	word       string   // first word of the requested command; empty if it can be any
	operations []tools.Operation
	problems   []error // errors of named queries
	misnamed   error   // an unknown subcommand whose help was asked for
	tools      *tools.App
	remote     *client.Client // server to use instead of a database; nil if there is none
	guardrails []pack.Source  // configured guardrails of serve
	serves     bool           // long-running server, which can use a temporary key
	recent     *hooks.Recent  // verdicts about actions of hooks; nil if this process is not a server
	// wakes the import of the transcripts of ended sessions; nil if this process is not a server
	ended func()
	in    io.Reader // simulated terminal input of tests
}

const about = `Nomograph stores an organization's policies, thresholds and decisions in one Neo4j graph. Agents and scripts read them
live. Without NEO4J_URI it runs a private Neo4j.`

func (a *app) root(args []string) *cobra.Command {
	a.args = args
	root := &cobra.Command{
		Use:           "nomograph",
		Long:          about,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.configure(cmd)
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if _, rest, _ := root.Find(a.args); cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
			return unknownCommand(cmd, rest[0])
		}
		return arguments.FlagError(cmd, err, tools.Operation{})
	})
	flags := root.PersistentFlags()
	flags.StringP("output", "o", "", strings.Join(output.Names, ", ")+" (default text)")
	flags.StringSliceVar(&a.form.Fields, "field", nil,
		"field of the answer or of each row to print; several fields are tab-separated")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress on stderr")
	flags.String(tokenFlag, "", "name of the environment variable with the token for --url (default NOMOGRAPH_TOKEN)")
	flags.String("config", "", "configuration file (default nomograph/config.yaml in the user's configuration directory)")
	for _, s := range config.Settings {
		if s.Flag != "" && s.Of == "" {
			addSetting(flags, s)
		}
	}
	root.AddGroup(&cobra.Group{ID: "operations", Title: "Policies, thresholds and decisions:"},
		&cobra.Group{ID: "server", Title: "Server and engine:"})
	a.word = a.commandWord(args)
	a.loadOperations()
	a.addOperations(root)
	a.addReplayFiles(root)
	a.addCommands(root)
	requireSubcommands(root)
	addHelp(root)
	addExamples(root)
	listGlobalFlagsOnce(root)
	a.wrapHelp(root)
	return root
}

// commandWord returns the first word of the command that the arguments call. It is empty if it can be any command:
// after a flag, for help, and for completion.
func (a *app) commandWord(args []string) string {
	if len(args) == 0 {
		return ""
	}
	for _, commands := range a.commands() {
		if commands[args[0]] != nil {
			return args[0]
		}
	}
	for _, o := range tools.Catalog {
		word, _, _ := strings.Cut(o.Command, " ")
		if word == args[0] || slices.Contains(plural(word), args[0]) {
			return word
		}
	}
	return ""
}

// creates reports whether commands that start with a word are created. The others are not, because creating all of them
// takes longer than many commands.
func (a *app) creates(word string) bool { return a.word == "" || a.word == word }

// commands returns the constructors of the commands that are not created from operations, by group in help and first
// word.
func (a *app) commands() map[string]map[string]func() *cobra.Command {
	return map[string]map[string]func() *cobra.Command{
		"server": {"serve": a.serve, "open": a.openPages, "call": a.call, "engine": a.engine, "doctor": a.doctor,
			"health": a.health, "config": a.settings,
			"install": a.install, hookWord: a.hook, "trust": a.trust, "demo": a.demo, "init": a.initialize,
			"uninstall": a.uninstall},
		"operations": {"watch": a.watch, "exec": a.exec, "export": a.export},
		"":           {"version": a.version, "options": a.options},
	}
}

// localCommands are commands that a server cannot run, with the reason.
var localCommands = map[string]string{"serve": "is the server", "engine": "works on the Neo4j of this machine",
	"doctor": "examines this machine and its database",
	"demo":   "starts a server of its own", "export": "reads the whole database"}

// addCommands adds the commands that are not created from operations.
func (a *app) addCommands(root *cobra.Command) {
	for group, commands := range a.commands() {
		for word, create := range commands {
			if a.creates(word) {
				made := create()
				made.GroupID = group
				if why, local := localCommands[word]; local {
					localCommand(made, why)
				}
				root.AddCommand(made)
			}
		}
	}
	for word, create := range map[string]func() []*cobra.Command{"policy": a.policyCommands, "decision": a.decisionCommands,
		"atlas":  func() []*cobra.Command { return []*cobra.Command{printSchema("atlas manifests", manifest.Schema)} },
		"import": func() []*cobra.Command { return []*cobra.Command{a.importArchive()} },
		"memory": func() []*cobra.Command { return []*cobra.Command{a.installCommand(true)} },
		"audit":  func() []*cobra.Command { return []*cobra.Command{a.verifyAudit()} }} {
		if a.creates(word) {
			parent, _, err := root.Find([]string{word})
			if err != nil || parent == root {
				panic("no operation has a command that begins with " + word)
			}
			parent.AddCommand(create()...)
		}
	}
}

// runner runs a command.
type runner = func(cmd *cobra.Command, args []string) error

// command returns a command that is not created from an operation. Its help is in help.txt.
func command(use string, args cobra.PositionalArgs, run runner) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: run}
}

// printed shows the progress of work, and then prints its answer unless it is nil.
func (a *app) printed(cmd *cobra.Command, work func(ctx context.Context) (any, error)) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	answer, err := work(ctx)
	if err != nil || answer == nil {
		return err
	}
	done()
	return a.form.Print(cmd.OutOrStdout(), answer)
}

func addSetting(flags *pflag.FlagSet, s config.Setting) {
	if s.Default == "false" {
		flags.Bool(s.Flag, false, s.Help+" ("+s.Env+")")
		return
	}
	flags.String(s.Flag, "", s.Help+" ("+s.Env+")")
}

// requireSubcommands makes an unknown subcommand of a group a usage error instead of a help page, and so are wrong
// arguments of any command.
func requireSubcommands(command *cobra.Command) {
	if command.HasSubCommands() && command.RunE == nil {
		command.Args = cobra.ArbitraryArgs
		command.SuggestionsMinimumDistance = 2
		command.RunE = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		}
		annotate(command, isGroup, "true")
	}
	if accepts := command.Args; accepts != nil {
		command.Args = func(cmd *cobra.Command, args []string) error {
			err := accepts(cmd, args)
			if known := (arguments.Usage{}); err != nil && !errors.As(err, &known) { // cobra's own errors have no type
				err = arguments.Usagef("%w\nRun '%s --help' for usage", err, cmd.CommandPath())
			}
			return err
		}
	}
	for _, sub := range command.Commands() {
		requireSubcommands(sub)
	}
}

// isGroup is an annotation of commands that only have subcommands.
const isGroup = "group"

func unknownCommand(group *cobra.Command, word string) error {
	message := fmt.Sprintf("unknown command %q for %q", word, group.CommandPath())
	if near := group.SuggestionsFor(word); len(near) > 0 {
		message += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return arguments.Usagef("%s\nRun '%s --help' for usage", message, group.CommandPath())
}

// readOutputFormat reads the output format, which needs no settings.
func (a *app) readOutputFormat(cmd *cobra.Command) error {
	a.form.Name, _ = cmd.Flags().GetString("output")
	switch a.form.Name {
	case "text":
		a.form.Name = ""
	case "table": // former name
		a.form.Name = "wide"
	}
	if a.form.Name != "" && !slices.Contains(output.Names, a.form.Name) {
		return arguments.Usagef("--output is one of %s, not %q", strings.Join(output.Names, ", "), a.form.Name)
	}
	return nil
}

// addExamples adds an example to each command without arguments.
func addExamples(command *cobra.Command) {
	if command.Example == "" && !strings.Contains(command.Use, " ") && !command.HasSubCommands() {
		command.Example = "  " + command.CommandPath()
	}
	for _, sub := range command.Commands() {
		addExamples(sub)
	}
}

func (a *app) configure(cmd *cobra.Command) error {
	values := map[string]string{}
	for _, s := range config.Settings {
		flag := cmd.Flags().Lookup(s.Flag)
		own := flag != nil && s.Of == "" && flag != cmd.Root().PersistentFlags().Lookup(s.Flag)
		if own && (!slices.Contains(arguments.SharedFlags, s.Flag) ||
			flag.Value.Type() == "bool") { // a flag of the command with another meaning
			continue
		}
		if flag != nil && flag.Changed {
			values[s.Key] = flag.Value.String()
		}
	}
	file, _ := cmd.Flags().GetString("config")
	if file == "" {
		file = os.Getenv("NOMOGRAPH_CONFIG")
	}
	if err := a.readOutputFormat(cmd); err != nil {
		return err
	}
	if err := addToken(cmd, values); err != nil {
		return err
	}
	settled, err := config.Load(values, file)
	if err != nil {
		return err
	}
	a.config = settled
	if err := a.configureRemote(cmd, values); err != nil {
		return err
	}
	document.SetMaxBytes(settled.DocumentBytes)
	level, err := zerolog.ParseLevel(settled.LogLevel)
	if err != nil {
		return apperr.Newf(apperr.Validation, "log.level: unknown level %q", settled.LogLevel).
			WithHint("Use debug, info, warn or error")
	}
	if settled.LogFormat == "json" {
		a.log = zerolog.New(os.Stderr).Level(level).With().Timestamp().Logger()
	} else {
		a.log = zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: "15:04:05",
			NoColor: !isatty.IsTerminal(os.Stderr.Fd())}).Level(level).With().Timestamp().Logger()
	}
	for _, notice := range settled.Notices {
		if cmd.Name() != cobra.ShellCompRequestCmd &&
			cmd.Name() != cobra.ShellCompNoDescRequestCmd { // would appear in the middle of a line that is being typed
			a.log.Warn().Msg(notice)
		}
	}
	return nil
}

func (a *app) engineOptions() engine.Options { return tools.EngineOptions(a.config) }

// open opens the application. Operations that only read do not migrate an external database.
func (a *app) open(migrate bool) *tools.App {
	a.tools = tools.Open(a.config, a.log, tools.Options{Migrate: migrate, RestoreSchema: a.serves,
		Guardrails: a.guardrails, Operations: a.operations, Version: version,
		Workspace: a.workspace(), Person: a.agent(), Key: sync.OnceValues(a.serverKey)})
	return a.tools
}

// workspace returns the project, or else the root of the git repository of the working directory, or else the
// directory.
func (a *app) workspace() string {
	if a.config.Project != "" {
		return a.config.Project
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return here
		}
	}
}

func (a *app) close() {
	if a.tools != nil {
		if err := a.tools.Close(context.Background()); err != nil {
			a.log.Debug().Err(err).Msg("closing")
		}
	}
}

// agent returns the name of the acting agent: the configured one, or else the user of this machine.
func (a *app) agent() string {
	if a.config.Agent != "" {
		return a.config.Agent
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
