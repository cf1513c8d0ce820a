package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/files"
	"nomograph/internal/apperr"
	"nomograph/tools"
)

// maxArgumentsLength is what an operation accepts, which reports arguments that are too long.
const maxArgumentsLength = 64 << 20

func (a *app) call() *cobra.Command {
	call := command("call OPERATION [JSON]", cobra.RangeArgs(1, 2), func(cmd *cobra.Command, args []string) error {
		operation, ok := tools.Find(a.operations, args[0])
		if !ok && a.remote == nil {
			return apperr.Newf(apperr.NotFound, "Operation %q not found", args[0]).
				WithHint("Search operations with `nomograph tools WORDS`, or see docs/reference/tools.md")
		}
		arguments := json.RawMessage(append(args, "{}")[1])
		if string(arguments) == "-" {
			text, err := files.Stdin(maxArgumentsLength)
			if err != nil {
				return err
			}
			arguments = text
		}
		if !cmd.Flags().Changed("output") {
			a.form.Name = "json"
		}
		if !ok {
			return a.callRemotely(cmd, args[0], arguments)
		}
		return a.runOperation(cmd, operation, arguments)
	})
	call.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) (names []string,
		_ cobra.ShellCompDirective) {
		for _, o := range a.operations {
			if len(args) == 0 {
				names = append(names, o.Name+"\t"+o.Use)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return call
}
