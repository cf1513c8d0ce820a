package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/output"
	"nomograph/cmd/nomograph/tour"
	"nomograph/decisions/imports"
	"nomograph/decisions/precedents"
	"nomograph/decisions/records"
	"nomograph/docs"
	"nomograph/graph/engine"
	"nomograph/internal/disk"
	"nomograph/internal/render"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/sessions"
	"nomograph/tools"
)

// demo shows a newcomer a real server, called over MCP. Its graph is its own, so that the samples do not mix with the
// user's data.
func (a *app) demo() *cobra.Command {
	demo := command("demo", cobra.NoArgs, nil)
	raw := demo.Flags().Bool("json", false, "print complete MCP requests and responses")
	clean := demo.Flags().Bool("clean", false, "stop and remove the graph of the demo")
	yes := demo.Flags().BoolP("yes", "y", false, "remove it without asking")
	demo.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		o := a.engineOptions()
		if o.Dir, err = disk.Data("nomograph", "demo"); err != nil {
			return err
		}
		if *clean {
			remove := func() error { return errors.Join(engine.Stop(cmd.Context(), o), os.RemoveAll(o.Dir)) }
			_, absent := os.Stat(o.Dir)
			return a.carryOut(cmd, []step{editing(o.Dir, "the graph of the demo", absent != nil, remove)}, *yes,
				"Remove the graph of the demo?", "Removed.")
		}
		ctx, done := output.Progress(cmd.Context(), a.quiet)
		defer done()
		lease, err := engine.Acquire(ctx, o)
		if err != nil {
			return err
		}
		defer func() { _ = lease.Release() }()
		own := lease.Endpoint()
		a.config.URI, a.config.Username, a.config.Password, a.config.Database = own.URI, own.Username, own.Password,
			own.Database
		opening, err := a.loadDemo(ctx)
		if err != nil {
			return err
		}
		done()
		return tour.Run(cmd.Context(), cmd.OutOrStdout(), tour.Guide{Version: version, Folder: o.Dir,
			Raw: *raw || a.form.Name == "json", Opening: opening,
			Environ: []string{"NEO4J_URI=" + own.URI, "NEO4J_USERNAME=" + own.Username,
				"NEO4J_PASSWORD=" + own.Password, "NEO4J_DATABASE=" + own.Database}})
	}
	return demo
}

// loadDemo loads the samples, and returns the first line of the tour.
func (a *app) loadDemo(ctx context.Context) (string, error) {
	opened := a.open(true)
	if _, err := opened.Change.Apply(ctx, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, {Name: "releases"}},
		By: a.agent(), Reason: "demo"}); err != nil {
		return "", err
	}
	atlases, err := a.configuredAtlases(ctx)
	if err == nil && len(atlases) > 0 {
		_, err = opened.Sessions.LoadAtlases(ctx,
			sessions.LoadRequest{Atlases: atlases, By: a.agent(), Reason: "demo"})
	}
	if err != nil {
		return "", err
	}
	server, err := opened.Graph.Connect(ctx)
	if err != nil {
		return "", err
	}
	imported, err := importOwnDecisions(ctx, opened)
	return fmt.Sprintf("Neo4j %s answers at %s. The packs core and releases are loaded%s.\n", server.Version,
		server.URI, imported), err
}

// importOwnDecisions imports Nomograph's own decision records into a graph without decisions, as example data.
func importOwnDecisions(ctx context.Context, opened *tools.App) (string, error) {
	there, err := opened.Precedents.List(ctx, precedents.ListQuery{Limit: 1})
	if err != nil || len(there.Decisions) > 0 {
		return "", err
	}
	folder, err := fs.Sub(docs.Pages, "decisions")
	if err != nil {
		return "", err
	}
	imported, err := opened.Imports.Import(ctx, records.ADR(folder, "", "nomograph"),
		imports.Options{Project: "nomograph"})
	return fmt.Sprintf("; %s of Nomograph itself to explore", render.Plural(imported.Created, "decision")), err
}
