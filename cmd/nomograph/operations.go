package main

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/heapgrowth"
	"nomograph/internal/render"
	"nomograph/tools"
)

// loadOperations reads the named queries before the command line is parsed, because they become commands. For the same
// reason their folder has no flag. Catalog commands, which scripts call often, and commands without operations skip it.
func (a *app) loadOperations() {
	a.operations = tools.Catalog
	switch a.word {
	case "", "serve", "call", "install", "watch":
	default:
		return
	}
	settled, err := config.Load(nil, os.Getenv("NOMOGRAPH_CONFIG"))
	if err != nil { // reported when the command runs
		return
	}
	a.operations, a.problems = tools.Operations(settled.Queries)
}

// addOperations adds a command for every operation. Only commands that the arguments can call get flags from the
// operation's schema, because deriving them takes time; others are listed without.
func (a *app) addOperations(root *cobra.Command) {
	for _, o := range a.operations {
		parent := root
		if first, _, _ := strings.Cut(o.Command, " "); !a.creates(first) {
			continue
		}
		words := strings.Fields(o.Command)
		for _, word := range words[:len(words)-1] {
			next, _, err := parent.Find([]string{word})
			if err != nil || next == parent {
				next = &cobra.Command{Use: word, Aliases: plural(word), GroupID: "operations"}
				parent.AddCommand(next)
			}
			parent = next
		}
		command := &cobra.Command{Use: words[len(words)-1], Short: arguments.Help(o, firstSentence(o.Use))}
		if a.mayRun(words...) {
			command = a.operation(o, root, words[len(words)-1])
		} else {
			command.RunE = func(*cobra.Command, []string) error {
				panic("the command " + o.Command + " was not made")
			}
		}
		if parent == root {
			command.GroupID = "operations"
		}
		parent.AddCommand(command)
	}
}

// mayRun reports whether the arguments can call the command with these words, which need not be adjacent. Without
// arguments, as in tests of all commands, every command can be called.
func (a *app) mayRun(words ...string) bool {
	for _, word := range words {
		if a.args != nil && !slices.Contains(a.args, word) &&
			!slices.ContainsFunc(plural(word), func(other string) bool { return slices.Contains(a.args, other) }) {
			return false
		}
	}
	return true
}

// flagHelp returns the help of a flag that is an operation's argument, or "" for other commands, which do not need the
// schema.
func (a *app) flagHelp(o tools.Operation, field, command string) string {
	if !a.mayRun(command) {
		return ""
	}
	return arguments.Help(o, o.Input().Properties[field].Description)
}

// plural returns the plural of a group's name as an alias.
func plural(word string) []string {
	many, _ := strings.CutPrefix(render.Plural(2, word), "2 ")
	if strings.HasSuffix(word, "s") || slices.Contains([]string{"memory", "history", "index", "evidence", "federation",
		"import", "trace", "autonomy"}, word) {
		return nil
	}
	return []string{many}
}

// firstSentence returns the first sentence of a description, for lists of commands.
func firstSentence(text string) string {
	const end = ". "
	for at := 1; at < len(text); at++ {
		next := strings.Index(text[at:], end)
		if next < 0 {
			break
		}
		at += next
		if first, _ := utf8.DecodeRuneInString(text[at+len(end):]); text[at-1] != '.' && unicode.IsUpper(first) {
			return text[:at]
		}
	}
	return strings.TrimSuffix(text, ".")
}

func (a *app) operation(o tools.Operation, root *cobra.Command, word string) *cobra.Command {
	o, places := o.Opened()
	o = arguments.WithoutCollisions(o, root)
	command := &cobra.Command{Use: usageLine(o, word), Short: arguments.Help(o, firstSentence(o.Use)),
		Long:    arguments.Help(o, o.Use) + "\n\nOver MCP this is the tool " + o.Name + ".",
		Example: "  nomograph " + o.Example()}
	arguments.AddFlags(command, o)
	if o.CLI.Value != "" {
		command.Flags().Bool("value", false, "print only the "+o.CLI.Value)
	}
	if o.CLI.Document != "" {
		command.Flags().String("out", "", "output file")
		command.Flags().Bool("overwrite", false, "overwrite an existing output file")
	}
	if o.CLI.Document == "script" {
		command.Annotations = map[string]string{evaluated: "yes"}
	}
	if confirmsNumber(o) {
		command.Flags().Bool("yes", false, "apply without confirmation; without this flag the command only lists what would happen")
		// dry_run defaults to true here and to false elsewhere; hide it so that help shows only one default
		_ = command.Flags().MarkHidden("dry-run")
	}
	command.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && len(o.CLI.Asks) > 0 && a.terminalUser(nil, nil) != nil {
			return nil
		}
		return arguments.Check(cmd, o, args)
	}
	command.ValidArgsFunction = a.completeNames(o)
	command.RunE = func(cmd *cobra.Command, args []string) error {
		values, err := arguments.Read(cmd, o, args)
		if err != nil {
			return err
		}
		if err := a.complete(cmd, o, values); err != nil {
			return err
		}
		if yes, _ := cmd.Flags().GetBool("yes"); yes && confirmsNumber(o) && values["dry_run"] == nil {
			values["dry_run"] = json.RawMessage("false")
		}
		closed, err := json.Marshal(places.Close(values))
		if err != nil {
			return err
		}
		return arguments.TranslateError(o, places, a.runOperation(cmd, o, closed))
	}
	command.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return arguments.FlagError(cmd, err, o) })
	return command
}

// evaluated is the annotation of commands whose output a shell evaluates.
const evaluated = "evaluated"

// usageLine returns the usage line from the last word of the command on.
func usageLine(o tools.Operation, word string) string {
	return o.Usage()[strings.LastIndex(o.Command, word):]
}

// runOperation runs an operation and prints its answer.
func (a *app) runOperation(cmd *cobra.Command, o tools.Operation, arguments json.RawMessage) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = a.local(ctx, o)
	if o.Kind == tools.Job {
		heapgrowth.EndStartPhase()
	}
	if who := a.terminalUser(cmd.ErrOrStderr(), done); who != nil {
		ctx = tools.WithAsker(ctx, who)
	}
	out, shown, err := a.run(ctx, o, arguments)
	if confirmed, ok := a.confirm(cmd, ctx, o, arguments, err); ok {
		out, shown, err = a.run(ctx, o, confirmed)
	}
	if err != nil {
		return err
	}
	done()
	if value, _ := cmd.Flags().GetBool("value"); value {
		a.form.Fields = []string{o.CLI.Value}
		if raw, err := json.Marshal(shown); err == nil && !gjson.GetBytes(raw, o.CLI.Value).Exists() {
			return apperr.Newf(apperr.Conflict, "The answer has no field '%s'", o.CLI.Value).
				WithHint("Run the command without --value to see its fields")
		}
		output.Notes(cmd.ErrOrStderr(), shown, "")
	}
	return cmp.Or(a.answer(cmd, o, shown), verdictOf(out))
}

// verdictOf converts a denial or failure in an answer to an exit code.
func verdictOf(out any) error {
	if verdict, ok := out.(interface{ Denied() bool }); ok && verdict.Denied() {
		return exitStatus{exitDenied}
	}
	if tested, ok := out.(interface{ Failed() bool }); ok && tested.Failed() {
		return exitStatus{exitFailed}
	}
	return nil
}

// terminalUser returns the person at the terminal, or nil if there is none.
func (a *app) terminalUser(out io.Writer, before func()) *arguments.Prompter {
	if a.in != nil {
		return &arguments.Prompter{In: a.in, Out: out, Before: before}
	}
	if !isatty.IsTerminal(os.Stdin.Fd()) || !isatty.IsTerminal(os.Stderr.Fd()) {
		return nil
	}
	return &arguments.Prompter{In: os.Stdin, Out: out, Before: before}
}

// complete asks the person for the fields of an operation if required ones are missing. Without a person, the operation
// reports them. If the person does not answer, it returns a validation_error, and nothing is recorded.
func (a *app) complete(cmd *cobra.Command, o tools.Operation, values map[string]any) error {
	form := &jsonschema.Schema{Type: "object", Properties: o.Input().Properties}
	for _, name := range o.CLI.Asks {
		if values[name] != nil {
			continue
		}
		form.PropertyOrder = append(form.PropertyOrder, name)
		if o.Requires(name) {
			form.Required = append(form.Required, name)
		}
	}
	if len(form.Required) == 0 {
		return nil
	}
	who := a.terminalUser(cmd.ErrOrStderr(), func() {})
	if who == nil {
		return nil
	}
	answer, err := who.Ask(cmd.Context(), tools.Question{Message: o.Title + " (Ctrl-C leaves without)", Schema: form})
	if err != nil {
		return apperr.New(apperr.Validation, "No answer was given, so nothing was recorded").
			WithHint("%s", arguments.HelpHint(o))
	}
	maps.Copy(values, answer)
	return nil
}
