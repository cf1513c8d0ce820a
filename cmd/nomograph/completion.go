package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/policies"
	"nomograph/tools"
)

func (a *app) completeNames(o tools.Operation) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if o.CLI.Documents != "" {
			return policies.ShippedPacks(), cobra.ShellCompDirectiveDefault
		}
		if n := len(args); n < len(o.CLI.Args) && len(o.Input.Properties[o.CLI.Args[n]].Enum) > 0 {
			var choices []string
			for _, choice := range o.Input.Properties[o.CLI.Args[n]].Enum {
				if text := fmt.Sprint(choice); strings.HasPrefix(text, prefix) {
					choices = append(choices, text)
				}
			}
			return choices, cobra.ShellCompDirectiveNoFileComp
		}
		complete := tools.Names[o.CLI.Names]
		if complete == nil || len(args) > 0 && o.Input.Properties[o.CLI.Args[0]].Type != "array" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if a.configure(cmd) != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		const enough = 200
		ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
		defer cancel()
		names, err := complete(ctx, a.open(false), prefix, enough)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
