package main

import (
	"os"

	"github.com/spf13/cobra"

	"nomograph/policies/gate"
	"nomograph/server"
	"nomograph/tools"
)

func (a *app) serve() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over stdin and stdout",
		Long: `Serve MCP over stdin and stdout, in every revision of the protocol. It answers at once, while the database is
still starting; a call that needs it waits, with progress. The log goes to stderr.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			operations, err := tools.Select(a.operations, a.config.Toolsets)
			if err != nil {
				return err
			}
			for _, problem := range a.problems {
				a.log.Error().Err(problem).Msg("a named query is left out")
			}
			env := a.open(true)
			env.Graph.Begin()
			env.Search.Wake() // another process may have been stopped before it had made all vectors
			env.Counters.Wake()
			go env.Gate.PruneRegularly(cmd.Context(), func(pruned gate.Pruned, err error) {
				a.log.Info().Err(err).Int("allowed", pruned.Allowed).Int("denied", pruned.Denied).Msg("old verdicts were deleted")
			})
			mcp := server.NewMCP(env, server.Options{Version: version, Operations: operations, Agent: a.config.Agent, Log: a.log})
			return server.ServeStdio(cmd.Context(), mcp, os.Stdin, os.Stdout, a.log)
		},
	}
}
