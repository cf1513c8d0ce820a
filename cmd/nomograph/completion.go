package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"nomograph/graph/engine"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies/pack"
	"nomograph/sessions/manifest"
	"nomograph/tools"
)

const (
	completionTimeout = 700 * time.Millisecond // maximum duration of a completion
	completionsShown  = 200
	maxTitleLength    = 60
)

// completeNames completes positional arguments: allowed values, and names in the graph with their titles. It never
// starts an engine; without a running one, it completes nothing.
func (a *app) completeNames(o tools.Operation) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if o.CLI.Documents != "" {
			if o.CLI.Documents == "atlases" {
				return manifest.Shipped(), cobra.ShellCompDirectiveDefault
			}
			return pack.Shipped(), cobra.ShellCompDirectiveDefault
		}
		property := placeAt(o, len(args))
		if property == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if choices := tools.Choices(property); len(choices) > 0 {
			return choices, cobra.ShellCompDirectiveNoFileComp
		}
		kind := o.Names
		if kind == "" && len(args) > 0 { // the first argument is a kind, the second a name of that kind
			kind = args[0]
		}
		if _, named := tools.Names[kind]; !named || property.Type != "string" && property.Type != "array" ||
			a.configure(cmd) != nil || a.remote == nil && !a.isReachable() {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := a.names(cmd.Context(), kind, prefix)
		return lists.Map(names, func(name tools.Name) string {
			return cobra.CompletionWithDesc(name.Name, titleOf(name.Title))
		}), cobra.ShellCompDirectiveNoFileComp
	}
}

// names queries the database or the remote server. It returns nothing if there is no answer in time.
func (a *app) names(ctx context.Context, kind, prefix string) []tools.Name {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	answer, _, err := a.ask(ctx, "list_names", tools.NameQuery{Kind: kind, Prefix: prefix, Limit: completionsShown})
	if err != nil {
		return nil
	}
	list, _ := answer.(tools.NameList)
	return list.Names
}

// placeAt returns the property of a positional argument, or nil.
func placeAt(o tools.Operation, place int) *jsonschema.Schema {
	n := len(o.CLI.Args)
	if n == 0 {
		return nil
	}
	property := o.Input().Properties[o.CLI.Args[min(place, n-1)]]
	if place >= n && property.Type != "array" {
		return nil
	}
	return property
}

// isReachable reports whether a database can be queried without starting one.
func (a *app) isReachable() bool {
	if a.config.URI != "" {
		return true
	}
	status, err := engine.Inspect(a.engineOptions())
	return err == nil && status.State == engine.Running
}

// titleOf returns a text as one short line.
func titleOf(text string) string {
	line := []rune(render.EscapeControl(strings.Join(strings.Fields(text), " ")))
	if len(line) > maxTitleLength {
		return fmt.Sprintf("%s...", string(line[:maxTitleLength-3]))
	}
	return string(line)
}
