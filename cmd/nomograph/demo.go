package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"

	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"nomograph/decisions"
	"nomograph/decisions/records"
	"nomograph/docs"
	"nomograph/fault"
	"nomograph/layout"
	"nomograph/policies"
	"nomograph/tools"
)

// demo is what a newcomer should see first: a real server, asked over MCP.
func (a *app) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Load the shipped packs, start a server, and put questions to it over MCP",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := a.progress(cmd.Context())
			defer done()
			sources := []policies.PackSource{}
			for _, name := range policies.ShippedPacks() {
				sources = append(sources, policies.PackSource{Name: name})
			}
			env := a.open(true)
			applied, err := env.Policies.Apply(ctx, policies.ApplyRequest{Packs: sources, By: a.agent(), Reason: "demo"})
			if err != nil {
				return err
			}
			server, err := env.Graph.Connect(ctx)
			if err != nil {
				return err
			}
			imported, err := importOwnDecisions(ctx, env)
			if err != nil {
				return err
			}
			done()
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "Neo4j %s answers at %s; the packs are loaded:\n%s\n%s", server.Version, server.URI, applied.Summary, imported)
			if err := a.ask(cmd.Context(), w); err != nil {
				return err
			}
			fmt.Fprintf(w, connecting, os.Args[0]) // as it was called: it may not be in the PATH yet
			return nil
		},
	}
}

// importOwnDecisions brings Nomograph's own decision records into a graph that has no decisions: something true to explore.
func importOwnDecisions(ctx context.Context, env *tools.Env) (string, error) {
	there, err := env.Decisions.List(ctx, decisions.ListQuery{Limit: 1})
	if err != nil || len(there.Decisions) > 0 {
		return "", err
	}
	folder, err := fs.Sub(docs.Decisions, "decisions")
	if err != nil {
		return "", err
	}
	imported, err := env.Decisions.Import(ctx, records.ADR(folder, "", "nomograph"), decisions.ImportOptions{Project: "nomograph"})
	return fmt.Sprintf("Nomograph's own decisions are there to explore: %d, with %d links.\n", imported.Created, imported.LinksCreated), err
}

const connecting = `
Change a value, and everyone reads it from the next call on, with nothing restarted:
  %[1]s threshold set claim_promotion_confidence 0.85 --reason "trying it out"

See how decisions link: %[1]s decision graph 0009 --depth 2
Connect Cursor:         %[1]s install cursor      (this checkout's own .cursor/mcp.json works as it is)
Read from a script:     %[1]s threshold get claim_promotion_confidence --value
Look at the graph:      %[1]s engine status       (address, user and password file for Neo4j Browser or a driver)
Something is not right: %[1]s doctor
`

// questions are may-I, those of the acceptance test that this product comes from, and two about decisions.
var questions = []struct {
	tool      string
	arguments map[string]any
}{
	{"check_action", map[string]any{"description": "Move the customer database", "stakes": "high", "confidence": 0.4}},
	{"get_policy", map[string]any{"name": "NoTemporalFacet"}},
	{"get_threshold", map[string]any{"name": "claim_promotion_confidence"}},
	{"list_policies", map[string]any{"active": true, "has_facet_key": true}},
	{"list_thresholds", map[string]any{"decision_table": "D10"}},
	{"get_federation_sources", map[string]any{"status": "operational"}},
	{"get_subject_concepts", map[string]any{"limit": 2}},
	{"get_policy", map[string]any{"name": "NoTemporalFacets"}},
	{"query_decisions", map[string]any{"query": "what should happen when the database does not answer", "limit": 2}},
	{"get_graph", map[string]any{"node_id": "0009", "depth": 1, "format": "mermaid"}},
}

// ask starts `nomograph serve` as a client would and prints each question with its answer.
func (a *app) ask(ctx context.Context, w io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("own path: %w", err)
	}
	c, err := mcpclient.NewStdioMCPClient(self, os.Environ(), "serve")
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	defer func() { _ = c.Close() }()
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "nomograph demo", Version: version}
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	info, err := c.Initialize(ctx, hello)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	fmt.Fprintf(w, "Asking the MCP server %q (protocol %s):\n", info.ServerInfo.Name, info.ProtocolVersion)
	for _, q := range questions {
		operation, known := tools.Find(tools.Catalogue, q.tool)
		if !known {
			return fault.Newf(fault.Internal, "The demo asks %s, which is no operation", q.tool)
		}
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments = operation.Name, q.arguments
		result, err := c.CallTool(ctx, request)
		if err != nil {
			return fmt.Errorf("%s: %w", q.tool, err)
		}
		arguments, err := json.Marshal(q.arguments)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n> %s %s\n", q.tool, arguments)
		answer, err := layout.IndentedJSON(result.StructuredContent)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n", answer)
	}
	return nil
}
