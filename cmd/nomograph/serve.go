package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/internal/config"
	"nomograph/internal/disk"
	"nomograph/internal/heapgrowth"
	"nomograph/internal/lists"
	"nomograph/memory/conversations"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/server"
	"nomograph/server/mcp"
	"nomograph/sessions"
	"nomograph/sessions/manifest"
	"nomograph/tools"
)

func (a *app) serve() *cobra.Command {
	serve := command("serve", func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 && !cmd.Flags().Changed("http") || len(args) > 1 {
			return arguments.Usagef("name one address, after --http")
		}
		if len(args) == 1 {
			return cmd.Flags().Set("http", args[0])
		}
		return nil
	}, nil)
	for _, s := range config.Settings {
		if s.Of == "serve" {
			addSetting(serve.Flags(), s)
		}
	}
	serve.Flags().Lookup("http").NoOptDefVal = config.DefaultAddress
	stdio := serve.Flags().Bool("stdio", false, "with --http, also serve over stdio; the end of stdin stops both")
	serve.RunE = func(cmd *cobra.Command, _ []string) error { return a.serveOver(cmd.Context(), *stdio, nil) }
	return serve
}

// serveOver serves MCP over stdin and stdout, or over HTTP as configured. started, if not nil, is called with the
// address when requests are accepted.
func (a *app) serveOver(ctx context.Context, stdio bool, started func(address string)) error {
	operations, err := tools.Select(a.operations, a.servedToolsets())
	if err != nil {
		return err
	}
	atlases, err := a.configuredAtlases(ctx)
	if err != nil {
		return err
	}
	if a.guardrails, err = a.configuredGuardrails(ctx); err != nil {
		return err
	}
	for _, problem := range a.problems {
		a.log.Error().Err(problem).Msg("named query skipped")
	}
	var network *network
	if a.config.HTTP != "" { // report configuration errors before anything starts
		if network, err = a.listen(ctx); err != nil {
			return err
		}
	}
	a.serves = true
	opened := a.open(true)
	if err := opened.Change.CheckSignatures(slices.Concat(a.guardrails,
		atlases)); err != nil { // before the database is started
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	spans, err := server.NewSpans(ctx, version, a.log)
	if err != nil {
		return err
	}
	if spans != nil { // before other watches, so that the span includes them
		opened.Watches, opened.Graph.Watches = append(opened.Watches, spans.Watch),
			append(opened.Graph.Watches, spans.Sent)
		defer func() { _ = spans.Close(ctx) }()
	}
	if network != nil {
		opened.Graph.Watches = append(opened.Graph.Watches, network.metrics.Sent)
	}
	opened.Graph.Begin()
	if err := a.applyGuardrails(ctx, opened); err != nil {
		return err
	}
	a.work(ctx, stop, opened, atlases)
	transport := mcp.New(opened.Runner(), mcp.Options{Version: version, Operations: operations, Agent: a.config.Agent,
		Log: a.log, Site: strings.TrimSuffix(a.config.CSTP.URL, "/"), Pages: a.runningServer})
	go transport.AnnounceTools(ctx)
	if network == nil {
		heapgrowth.ReduceGrowth()
		err = transport.ServeStdio(ctx, newIdleReader(os.Stdin, releaseMemory), os.Stdout)
	} else {
		err = network.serve(ctx, opened, transport, stdio, started)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// work starts the background work of a server.
func (a *app) work(ctx context.Context, stop context.CancelCauseFunc, opened *tools.App, atlases []pack.Source) {
	opened.Search.Wake() // an earlier process may have stopped before all vectors were computed
	opened.Contexts.Wake()
	opened.Chunks.Wake()
	opened.Remember()
	opened.Counters.Wake()
	for _, folder := range a.config.Remember {
		go a.remember(ctx, opened, folder)
	}
	if len(atlases) > 0 { // calls may arrive before the atlases are loaded, and wait for them
		loaded := make(chan struct{})
		opened.Loading = loaded
		go func() {
			defer close(loaded)
			if err := a.loadAtlases(ctx, opened, atlases); err != nil &&
				ctx.Err() == nil { // otherwise agents would silently get no contexts
				stop(err)
			}
		}()
	}
	go opened.Checks.PruneRegularly(ctx, func(pruned check.Pruned, err error) {
		a.log.Info().Err(err).Int("allowed", pruned.Allowed).Int("denied", pruned.Denied).Msg("old verdicts deleted")
	})
	go a.answerHooks(ctx, opened)
	go opened.Webhooks.Run(ctx)
}

// configuredAtlases reads and validates the atlases of the configured folder before anything starts. It returns none if
// no folder is configured.
func (a *app) configuredAtlases(ctx context.Context) ([]pack.Source, error) {
	folder := a.config.Atlases
	if folder == "" {
		return nil, nil
	}
	if !strings.ContainsAny(folder, `./\`) { // a bare name would select a shipped atlas
		folder = "./" + folder
	}
	sources, err := packSources([]string{folder}, manifest.Extensions...)
	if err != nil {
		return nil, err
	}
	_, err = sessions.Validate(ctx, sessions.ValidateRequest{Atlases: sources})
	return sources, err
}

// packSources reads the packs or atlases that arguments name.
func packSources(args []string, extensions ...string) ([]pack.Source, error) {
	documents, err := files.Documents(args, extensions...)
	return lists.Map(documents, func(d map[string]string) pack.Source {
		return pack.Source{Name: d["name"], Text: d["text"], Signature: d["signature"]}
	}), err
}

// servedToolsets returns the toolsets that MCP serves, including cra if atlases are configured.
func (a *app) servedToolsets() []string {
	if a.config.Atlases == "" || slices.Contains(a.config.Toolsets, "cra") ||
		slices.Contains(a.config.Toolsets, "all") {
		return a.config.Toolsets
	}
	return append(slices.Clone(a.config.Toolsets), "cra")
}

// remember imports the conversations of a folder continuously, in the background of a server.
func (a *app) remember(ctx context.Context, opened *tools.App, folder string) {
	path, err := folder, error(nil)
	if rest, inHome := strings.CutPrefix(folder, "~/"); inHome {
		path, err = disk.Home()
		path = filepath.Join(path, rest)
	}
	if err == nil {
		_, err = opened.Conversations.Watch(ctx, path, conversations.Options{}, func(i conversations.Imported) {
			a.log.Info().Str("folder", path).Int("conversations", i.New+i.Grown).
				Int64("chunks", i.ChunksCreated+i.ChunksChanged).Msg("conversations imported")
		})
	}
	if err != nil {
		a.log.Error().Err(err).Str("folder", path).Msg("conversations not imported")
	}
}

// loadAtlases loads the configured atlases and logs the result. The server accepts calls meanwhile, but they wait. It
// returns the errors of LoadAtlases.
func (a *app) loadAtlases(ctx context.Context, opened *tools.App, sources []pack.Source) error {
	loaded, err := opened.Sessions.LoadAtlases(ctx,
		sessions.LoadRequest{Atlases: sources, By: a.agent(), Reason: change.AtlasesReason})
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(loaded.Summary), "\n") {
		a.log.Info().Msg("atlas " + line)
	}
	return nil
}
