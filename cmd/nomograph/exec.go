package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/graph"
	"nomograph/graph/engine/process"
	"nomograph/internal/apperr"
	"nomograph/policies/live"
	"nomograph/tools"
)

// Exit codes of shells and env(1) for a command that cannot be run.
const (
	exitCannotExecute = 126
	exitNoCommand     = 127
)

func (a *app) exec() *cobra.Command {
	operation, ok := tools.Find(tools.Catalog, "export_thresholds")
	if !ok {
		panic("no operation export_thresholds")
	}
	run := command("exec [flags] -- COMMAND [ARG...]", func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return arguments.Usagef("name a COMMAND to run, after --")
		}
		return nil
	}, nil)
	run.DisableFlagsInUseLine = true
	flags := run.Flags()
	flags.SetInterspersed(false) // flags after the command belong to it
	table := flags.String("table", "", a.flagHelp(operation, "decision_table", "exec"))
	names := flags.StringArray("name", nil, "threshold to export (repeatable)")
	prefix := flags.String("prefix", "", a.flagHelp(operation, "prefix", "exec"))
	lineBreaks := flags.Bool("line-breaks", false, a.flagHelp(operation, "line_breaks", "exec"))
	if err := run.RegisterFlagCompletionFunc("name", a.completeNames(operation)); err != nil {
		panic(err)
	}
	run.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := exec.LookPath(args[0])
		if err != nil {
			a.cannotRun(args[0], err)
		}
		asked := map[string]any{"decision_table": *table, "prefix": *prefix, "line_breaks": *lineBreaks,
			"names": *names}
		maps.DeleteFunc(asked, func(_ string, value any) bool { return reflect.ValueOf(value).IsZero() })
		if flags.Changed("prefix") { // an empty one is not the default
			asked["prefix"] = *prefix
		}
		environ, err := a.environ(cmd, operation, asked)
		if err != nil {
			return err
		}
		if err := cmd.Context().Err(); err != nil { // a signal that was meant for the command
			return graph.AsError(err)
		}
		a.close() // the command does not inherit the engine's lease
		a.cannotRun(args[0], process.Become(path, args, environ))
		return nil
	}
	return run
}

// environ returns this process's environment with the requested thresholds.
func (a *app) environ(cmd *cobra.Command, export tools.Operation, asked map[string]any) ([]string, error) {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	out, _, err := a.ask(ctx, export.Name, asked)
	if err != nil {
		return nil, err
	}
	return withVariables(os.Environ(), out.(live.Export).Variables), nil
}

// withVariables sets variables and replaces those with the same name.
func withVariables(environ []string, variables []live.Variable) []string {
	environ = slices.Clone(environ)
	for _, v := range variables {
		environ = slices.DeleteFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, v.Name+"=") })
		environ = append(environ, v.Name+"="+v.Value)
	}
	return environ
}

// cannotRun reports why a command cannot be run, and exits with the code that shells use.
func (a *app) cannotRun(command string, why error) {
	f, code := apperr.Newf(apperr.PermissionDenied, "Cannot execute %s", command).
		WithHint("Check that it is a program and that you may execute it").Because(why), exitCannotExecute
	if errors.Is(why, exec.ErrNotFound) || errors.Is(why, fs.ErrNotExist) || errors.Is(why, exec.ErrDot) {
		f, code = apperr.Newf(apperr.NotFound, "Command %s not found", command).
			WithHint("Check the spelling and PATH. Prefix a command of this folder with ./").Because(why), exitNoCommand
	}
	a.close()
	a.printError(f)
	os.Exit(code)
}
