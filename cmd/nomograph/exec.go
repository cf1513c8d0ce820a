package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
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
	command := &cobra.Command{
		Use:                   "exec [flags] -- COMMAND [ARG...]",
		DisableFlagsInUseLine: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return arguments.Usagef("name a COMMAND to run, after --")
			}
			return nil
		},
	}
	flags := command.Flags()
	flags.SetInterspersed(false) // flags after the command belong to it
	flags.String("table", "", a.flagHelp(operation, "decision_table", "exec"))
	flags.StringArray("name", nil, "threshold to export (repeatable)")
	flags.String("prefix", "", a.flagHelp(operation, "prefix", "exec"))
	flags.Bool("line-breaks", false, a.flagHelp(operation, "line_breaks", "exec"))
	if err := command.RegisterFlagCompletionFunc("name", a.completeNames(operation)); err != nil {
		panic(err)
	}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := exec.LookPath(args[0])
		if err != nil {
			a.cannotRun(args[0], err)
		}
		environ, err := a.environ(cmd, operation)
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
	return command
}

// environ returns this process's environment with the requested thresholds.
func (a *app) environ(cmd *cobra.Command, export tools.Operation) ([]string, error) {
	asked := map[string]any{}
	if table, _ := cmd.Flags().GetString("table"); table != "" {
		asked["decision_table"] = table
	}
	if cmd.Flags().Changed("prefix") {
		asked["prefix"], _ = cmd.Flags().GetString("prefix")
	}
	if lineBreaks, _ := cmd.Flags().GetBool("line-breaks"); lineBreaks {
		asked["line_breaks"] = true
	}
	if names, _ := cmd.Flags().GetStringArray("name"); len(names) > 0 {
		asked["names"] = names
	}
	arguments, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "exec", "command line")
	out, _, err := a.run(ctx, export, arguments)
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
