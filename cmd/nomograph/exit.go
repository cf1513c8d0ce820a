package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// Exit codes for scripts.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitUnavailable = 4
	exitDenied      = 5
)

// exitStatus is not an error: the answer was printed, and the exit code is part of it.
type exitStatus struct{ code int }

func (exitStatus) Error() string { return "" }

func exitCode(err error) int {
	var usage arguments.Usage
	var answer exitStatus
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &answer):
		return answer.code
	case errors.As(err, &usage), apperr.Is(err, apperr.Validation):
		return exitUsage
	case apperr.Is(err, apperr.NotFound):
		return exitNotFound
	case apperr.Is(err, apperr.Unavailable):
		return exitUnavailable
	}
	return exitFailed
}

// translateError translates an error for the command line: operations become commands.
func (a *app) translateError(err error) *apperr.Error {
	return tools.SpellError(apperr.From(err), func(name string) (string, bool) {
		o, ok := tools.Find(a.operations, name)
		return o.Shell(), ok
	})
}

// failScript makes `eval "$(nomograph env NAME)"` fail, because the shell ignores the exit code of the command in it.
// Other formats are not evaluated by a shell.
func (a *app) failScript(called *cobra.Command) {
	format := called.Flags().Lookup("format")
	out, _ := called.Flags().GetString("out")
	if called.Annotations[evaluated] != "" && a.form.Name == "" && out == "" && format != nil &&
		!slices.Contains([]string{"dotenv", "github"}, format.Value.String()) {
		fmt.Fprintln(called.OutOrStdout(), "false")
	}
}

// printError prints an error to stderr in the requested format.
func (a *app) printError(err error) {
	var usage arguments.Usage
	var answer exitStatus
	if errors.As(err, &answer) {
		return
	}
	if errors.As(err, &usage) {
		fmt.Fprintf(os.Stderr, "nomograph: %v\n", usage)
		return
	}
	f := a.translateError(err)
	if f.Code == apperr.Internal {
		a.log.Error().Str("id", f.ID).AnErr("cause", f.Unwrap()).Msg(f.Message)
	}
	if a.form.Name == "json" {
		text, _ := render.IndentedJSON(f) // strings always encode
		fmt.Fprintln(os.Stderr, text)
		return
	}
	message := f.Message
	if n := problemsIn(f); n > 0 { // their lines start with their position, for editors
		message = render.Plural(n, "problem") + "\n" + message
	}
	fmt.Fprintf(os.Stderr, "nomograph: %s\n", render.EscapeControl(message))
	if f.Hint != "" {
		fmt.Fprintf(os.Stderr, "  %s\n", render.EscapeControl(f.Hint))
	}
}

// problemsIn returns the number of problems that an error lists, also after it came over a network.
func problemsIn(f *apperr.Error) int {
	switch problems := f.Details["problems"].(type) {
	case []map[string]any:
		return len(problems)
	case []any:
		return len(problems)
	}
	return 0
}
