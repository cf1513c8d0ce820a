package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/clients"
	"nomograph/cmd/nomograph/output"
	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/memory"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lint"
	"nomograph/policies/live"
	"nomograph/search"
	"nomograph/tools"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Result string `json:"result"` // ok, warn or fail
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

type checkup struct {
	Findings []finding `json:"findings"`
	Healthy  bool      `json:"healthy"`
}

func (a *app) doctor() *cobra.Command {
	start := false
	command := &cobra.Command{
		Use:  "doctor",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, done := output.Progress(cmd.Context(), a.quiet)
			defer done()
			found := checkup{Findings: a.examine(ctx, start), Healthy: true}
			done()
			failed := 0
			for _, f := range found.Findings {
				if f.Result == "fail" {
					failed++
				}
			}
			found.Healthy = failed == 0
			if err := a.form.Print(cmd.OutOrStdout(), found); err != nil {
				return err
			}
			if failed > 0 {
				return apperr.Newf(apperr.Conflict, "Failed checks: %d", failed).
					WithHint("Follow their hints, then run `nomograph doctor` again")
			}
			return nil
		},
	}
	command.Flags().BoolVar(&start, "start", false, "start the engine and migrate its schema first")
	return command
}

func (a *app) examine(ctx context.Context, start bool) []finding {
	managed := a.config.URI == ""
	findings := []finding{a.checkConfig(), a.checkFolders(managed)}
	if managed {
		findings = append(findings, a.checkRuntime(ctx), a.checkEngine())
	}
	if managed && !start {
		if err := a.useRunningEngine(); err != nil {
			return append(findings, finding{Check: "database", Result: "ok", Detail: apperr.From(err).Message,
				Hint: apperr.From(err).Hint}, a.checkClients())
		}
	}
	opened := a.open(false)
	server, err := opened.Graph.Connect(ctx)
	if err != nil {
		return append(findings, failedFinding("database", err), a.checkClients())
	}
	findings = append(findings, passed("database", fmt.Sprintf("Neo4j %s at %s", server.Version, server.URI)))
	findings = append(findings, checkSchema(server), checkContent(ctx, opened.Live), checkIndex(ctx, opened.Search),
		checkMemory(ctx, opened.Memory, opened.Chunks), checkNames(ctx, opened.Live), checkRules(ctx, opened.Lint),
		checkCoverage(ctx, opened.Checks), checkPacks(ctx, opened.Change))
	findings = append(findings, checkOwners(ctx, opened.Change)...)
	if !managed {
		findings = append(findings, checkSettings(ctx, opened.Graph))
	}
	return append(findings, a.checkClients())
}

// useRunningEngine makes this process use the engine like an external server, without starting or migrating it.
func (a *app) useRunningEngine() error {
	status, err := engine.Inspect(a.engineOptions())
	if err != nil {
		return err
	}
	if status.State != engine.Running {
		return apperr.Newf(apperr.Unavailable, "Not checked, because the engine is %s", status.State).
			WithHint("Start it and check the graph with `nomograph doctor --start`")
	}
	password, err := os.ReadFile(status.PasswordFile)
	if err != nil {
		return apperr.Newf(apperr.Unavailable, "Cannot read %s", status.PasswordFile).
			WithHint("Try the rest with `nomograph doctor --start`").Because(err)
	}
	a.config.URI, a.config.Username, a.config.Password, a.config.Database = status.URI, status.Username,
		strings.TrimSpace(string(password)), ""
	return nil
}

func passed(check, detail string) finding { return finding{check, "ok", detail, ""} }

func warning(check, detail, hint string) finding { return finding{check, "warn", detail, hint} }

func failedFinding(check string, err error) finding {
	f := tools.SpellError(apperr.From(err), tools.Command)
	return finding{Check: check, Result: "fail", Detail: f.Message, Hint: f.Hint}
}

func (a *app) checkConfig() finding {
	detail := "no config file; " + a.config.File + " would be read"
	if a.config.File == "" {
		detail = "no config file, and no home folder where one would be read"
	}
	if _, err := os.Stat(a.config.File); err == nil {
		detail = a.config.File
	}
	if len(a.config.Origins) > 0 {
		var given []string
		for _, key := range slices.Sorted(maps.Keys(a.config.Origins)) {
			given = append(given, key+" from "+a.config.Origins[key])
		}
		detail += "; " + strings.Join(given, ", ")
	}
	if len(a.config.Notices) > 0 {
		return warning("configuration", detail, strings.Join(a.config.Notices, "; "))
	}
	return passed("configuration", detail)
}

// checkFolders reports directories that this user's processes need to write but cannot.
func (a *app) checkFolders(managed bool) finding {
	var written []string
	unwritable := func(folder string) error {
		written = append(written, folder)
		return disk.Writable(folder)
	}
	fails := func(what, hint string, err error) finding {
		return finding{Check: "folders", Result: "fail", Detail: what + " cannot be written: " + err.Error(),
			Hint: hint}
	}
	if managed {
		o := a.engineOptions().Defaults()
		if err := unwritable(o.Dir); err != nil {
			return fails("The engine's folder "+o.Dir, "Give this user the right to write there, or set NOMOGRAPH_ENGINE_DIR to another folder", err)
		}
		if there, _ := os.ReadDir(o.Cache); len(there) == 0 { // a filled cache is only read, so it need not be writable
			if err := unwritable(o.Cache); err != nil {
				return fails("The folder for what is fetched, "+o.Cache+",",
					"Give this user the right to write there, or set NOMOGRAPH_ENGINE_CACHE to another folder", err)
			}
		}
	}
	if a.config.PagesKey == "" {
		folder, err := disk.Data("nomograph")
		if err == nil {
			err = unwritable(folder)
		}
		if err != nil {
			f := fails("The folder for the key of the pages",
				"Set NOMOGRAPH_PAGES_KEY to 32 characters or more, or give this user the right to write there", err)
			f.Result = "warn" // a server can use a temporary key
			return f
		}
	}
	return passed("folders", "can be written: "+strings.Join(written, ", "))
}

func (a *app) checkRuntime(ctx context.Context) finding {
	detail, err := engine.Runtime(ctx, a.engineOptions())
	if err != nil {
		return failedFinding("runtime", err)
	}
	return passed("runtime", detail)
}

func (a *app) checkEngine() finding {
	status, err := engine.Inspect(a.engineOptions())
	if err != nil {
		return failedFinding("engine", err)
	}
	free, err := engine.CheckSpace(a.engineOptions())
	if err != nil {
		return failedFinding("engine", err)
	}
	if status.Error != nil {
		return warning("engine", "its last start failed: "+status.Error.Message, status.Error.Hint)
	}
	return passed("engine", fmt.Sprintf("%s; data in %s with %s free; heap %s and page cache %s, %s",
		status.State, status.Data, humanize.IBytes(uint64(max(0, free))), status.Heap, status.PageCache, status.Why))
}

func checkSchema(server graph.Server) finding {
	newest := graph.NewestMigration()
	if server.Migration < newest {
		return warning("schema", fmt.Sprintf("migration %d of %d", server.Migration, newest),
			"Reading works but may be slow; `nomograph serve` migrates, unless --no-migrate is given")
	}
	return passed("schema", fmt.Sprintf("migration %d", server.Migration))
}

func checkContent(ctx context.Context, store *live.Store) finding {
	found, err := store.Policies(ctx, live.PolicyFilter{Page: policies.Page{Limit: 1}})
	if err != nil {
		return failedFinding("policies", err)
	}
	thresholds, err := store.Thresholds(ctx, live.ThresholdFilter{Page: policies.Page{Limit: 1}})
	if err != nil {
		return failedFinding("policies", err)
	}
	f := passed("policies", render.Plural(found.Total, "policy")+", "+render.Plural(thresholds.Total, "threshold"))
	if found.Total+thresholds.Total == 0 {
		f.Result, f.Hint = "warn", "Apply some: nomograph policy apply core"
	}
	return f
}

func checkIndex(ctx context.Context, index *search.Index) finding {
	status, err := index.Status(ctx)
	if err != nil {
		return failedFinding("search", err)
	}
	f := passed("search", fmt.Sprintf("vectors by %s: %d of %d decisions, %d pending", status.Embedder, status.Indexed,
		status.Decisions, status.Pending))
	if status.Embedder != "none" && !status.Matches {
		f.Result, f.Hint = "warn", status.Note
	}
	return f
}

func checkMemory(ctx context.Context, store *memory.Store, index *search.Index) finding {
	stats, err := store.Stats(ctx)
	if err != nil {
		return failedFinding("memory", err)
	}
	f := passed("memory", fmt.Sprintf("%s of %s; %d pending, %d without vectors", render.Plural(stats.Chunks, "chunk"),
		render.Plural(stats.Projects, "project"), stats.Marked, stats.Unindexed))
	if status, err := index.Status(ctx); err == nil && status.Embedder != "none" && !status.Matches {
		f.Result, f.Hint = "warn", status.Note
	}
	return f
}

func checkNames(ctx context.Context, store *live.Store) finding {
	twice, err := store.Duplicates(ctx)
	if err != nil {
		return failedFinding("names", err)
	}
	if len(twice) == 0 {
		return passed("names", "every name is unique")
	}
	names := make([]string, len(twice))
	for i, d := range twice {
		names[i] = fmt.Sprintf("%d %s nodes '%v'", d.Nodes, d.Label, d.Name)
	}
	return finding{Check: "names", Result: "fail", Detail: strings.Join(names, ", "),
		Hint: "Remove or rename all but one of each: reading such a name is a conflict"}
}

func checkSettings(ctx context.Context, db *graph.DB) finding {
	weak, err := db.UnsafeSettings(ctx)
	if err != nil {
		return warning("settings", "the server's settings cannot be read",
			"Ask its administrator; docs/reference/settings.md says which ones matter")
	}
	if len(weak) == 0 {
		return passed("settings", "the settings that matter are set")
	}
	return warning("settings", strings.Join(weak, "; "),
		"Ask the server's administrator; docs/reference/settings.md says why they matter")
}

func (a *app) checkClients() finding {
	var configured, others []string
	for _, c := range clients.All() {
		user, err := c.User()
		if err != nil {
			f := failedFinding("clients", err)
			f.Result = "warn" // services have no clients
			return f
		}
		for _, path := range []string{c.Project, user} {
			switch ok, other := c.Entry(path); {
			case other != "":
				others = append(others, fmt.Sprintf("the entry nomograph of %s in %s starts another program: %s",
					c.Title, path, other))
			case ok:
				configured = append(configured, c.Title+" ("+path+")")
			}
		}
	}
	if len(others) > 0 {
		return warning("clients", strings.Join(append(configured, others...), ", "),
			"Remove the entry, then: nomograph install CLIENT")
	}
	if len(configured) == 0 {
		return warning("clients", "no client starts this server yet", "nomograph install cursor")
	}
	return passed("clients", strings.Join(configured, ", "))
}

// Layout formats the findings, each with its hint below.
func (c checkup) Layout(page terminal.Page) string {
	text, width := "", 0
	for _, f := range c.Findings {
		width = max(width, len(f.Check))
	}
	for _, f := range c.Findings {
		text += page.HangingIndent(fmt.Sprintf("%s%*s  %-*s  ", page.ColorWord(f.Result), 4-len(f.Result), "", width,
			f.Check), f.Detail) + "\n"
		if f.Hint != "" {
			text += page.HangingIndent(fmt.Sprintf("%*s", width+8, ""), f.Hint) + "\n"
		}
	}
	return text
}

const maxErrorsShown = 5

// checkCoverage reports how many executed tool calls of coding agents were checked.
func checkCoverage(ctx context.Context, store *check.Store) finding {
	c, err := store.Coverage(ctx, check.CoverageQuery{})
	if err != nil {
		return failedFinding("coverage", err)
	}
	f := passed("coverage", "no executed tool calls were recorded in the last 7 days")
	if c.Executed > 0 {
		f.Detail = fmt.Sprintf("%d of %d executed tool calls in the last 7 days have a verdict", c.Checked, c.Executed)
	}
	if c.Gaps > 0 {
		f.Result, f.Hint = "warn", "nomograph verdict coverage lists the others with reasons"
	}
	return f
}

// checkRules reports policies, thresholds and tables with errors. A rule with an error denies all actions that it
// applies to.
func checkRules(ctx context.Context, store *lint.Store) finding {
	report, err := store.Packs(ctx, lint.Request{})
	if err != nil {
		return failedFinding("rules", err)
	}
	f := passed("rules", "no errors, "+render.Plural(report.Warnings, "warning"))
	if report.Errors == 0 {
		return f
	}
	f.Result, f.Hint = "fail", "nomograph policy lint shows all of them, and what to do"
	f.Detail = render.Plural(report.Errors, "error")
	for i, found := range report.Findings {
		if i == maxErrorsShown || i == report.Errors { // errors come first
			break
		}
		f.Detail += "; " + found.Subject + ": " + found.Message
	}
	return f
}

// checkPacks reports nodes of packs that were changed or deleted in the graph.
func checkPacks(ctx context.Context, store *change.Store) finding {
	list, err := store.Packs(ctx, change.PacksQuery{})
	if err != nil {
		return failedFinding("packs", err)
	}
	drift := 0
	for _, p := range list.Packs {
		drift += len(p.Drift)
	}
	if drift == 0 {
		return passed("packs", fmt.Sprintf("%d applied, unchanged in the graph", list.Total))
	}
	f := warning("packs", render.Plural(drift, "node")+" changed in the graph",
		"nomograph policy diff shows how they differ; policy apply --overwrite resets them, policy export writes them for git")
	for _, p := range list.Packs {
		if p.OnlyMode != "" { // somebody set the mode by hand, or before packs stored it
			f.Hint = fmt.Sprintf("nomograph policy apply %s --mode %s keeps the mode of its rules; ", p.Name,
				p.OnlyMode) + f.Hint
		}
	}
	shown := 0
	for _, p := range list.Packs {
		for _, name := range p.Drift {
			if shown++; shown > maxErrorsShown {
				return f
			}
			f.Detail += "; " + name
			if slices.Contains(p.Deleted, name) {
				f.Detail += " (deleted)"
			}
			f.Detail += " of " + p.Name
		}
	}
	return f
}

// checkOwners lists the rules that no pack owns, such as those of a pack that an earlier version removed.
func checkOwners(ctx context.Context, store *change.Store) []finding {
	names, err := store.UnownedRules(ctx)
	if err != nil {
		return []finding{failedFinding("owners", err)}
	}
	if len(names) == 0 {
		return nil
	}
	return []finding{{Check: "owners", Result: "warn", Detail: render.Plural(len(names), "rule") + " without a pack: " +
		strings.Join(names, ", "),
		Hint: "nomograph policy delete NAME deletes one; policy apply --adopt lets a pack that names it own it"}}
}
