package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/clients"
	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
	"nomograph/internal/disk"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
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
	doctor := command("doctor", cobra.NoArgs, nil)
	start := doctor.Flags().Bool("start", false, "start the engine and migrate its schema first")
	doctor.RunE = func(cmd *cobra.Command, _ []string) error {
		failed := 0
		err := a.printed(cmd, func(ctx context.Context) (any, error) {
			found := checkup{Findings: a.examine(ctx, *start)}
			for _, f := range found.Findings {
				if f.Result == "fail" {
					failed++
				}
			}
			found.Healthy = failed == 0
			return found, nil
		})
		if err == nil && failed > 0 {
			err = apperr.Newf(apperr.Conflict, "Failed checks: %d", failed).
				WithHint("Follow their hints, then run `nomograph doctor` again")
		}
		return err
	}
	return doctor
}

// examine returns the findings of all checks that are possible.
func (a *app) examine(ctx context.Context, start bool) (findings []finding) {
	managed := a.config.URI == ""
	add := func(name string, f finding, err error) {
		if err != nil {
			failed := tools.SpellError(apperr.From(err), tools.Command)
			f = finding{Result: "fail", Detail: failed.Message, Hint: failed.Hint}
		}
		if f.Check, f.Result = name, cmp.Or(f.Result, "ok"); f.Detail != "" {
			findings = append(findings, f)
		}
	}
	ask := func(name string, of func(context.Context, *tools.App) (finding, error), opened *tools.App) {
		f, err := of(ctx, opened)
		add(name, f, err)
	}
	add("configuration", a.checkConfig(), nil)
	add("folders", a.checkFolders(), nil)
	if managed {
		detail, err := engine.Runtime(ctx, a.engineOptions())
		add("runtime", finding{Detail: detail}, err)
		f, err := a.checkEngine()
		add("engine", f, err)
	}
	defer func() { add("clients", checkClients(), nil) }()
	if managed && !start {
		if err := a.useRunningEngine(); err != nil {
			f := apperr.From(err)
			add("database", finding{Detail: f.Message, Hint: f.Hint}, nil)
			return findings
		}
	}
	opened := a.open(false)
	server, err := opened.Graph.Connect(ctx)
	add("database", finding{Detail: fmt.Sprintf("Neo4j %s at %s", server.Version, server.URI)}, err)
	if err != nil {
		return findings
	}
	add("schema", checkSchema(server), nil)
	ask("policies", checkContent, opened)
	ask("search", checkIndex, opened)
	ask("memory", checkMemory, opened)
	ask("names", checkNames, opened)
	ask("rules", checkRules, opened)
	ask("coverage", checkCoverage, opened)
	ask("packs", checkPacks, opened)
	ask("owners", checkOwners, opened)
	if !managed {
		ask("settings", checkSettings, opened)
	}
	return findings
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

func warning(detail, hint string) finding { return finding{Result: "warn", Detail: detail, Hint: hint} }

func (a *app) checkConfig() finding {
	f := finding{Detail: "no config file; " + a.config.File + " would be read",
		Hint: strings.Join(a.config.Notices, "; ")}
	if a.config.File == "" {
		f.Detail = "no config file, and no home folder where one would be read"
	}
	if _, err := os.Stat(a.config.File); err == nil {
		f.Detail = a.config.File
	}
	for i, key := range slices.Sorted(maps.Keys(a.config.Origins)) {
		f.Detail += map[bool]string{true: "; ", false: ", "}[i == 0] + key + " from " + a.config.Origins[key]
	}
	if f.Hint != "" {
		f.Result = "warn"
	}
	return f
}

// checkFolders reports directories that this user's processes need to write but cannot.
func (a *app) checkFolders() finding {
	var written []string
	writable := func(folder string) error {
		written = append(written, folder)
		return disk.Writable(folder)
	}
	fails := func(result, what, hint string, err error) finding {
		return finding{Result: result, Detail: what + " cannot be written: " + err.Error(), Hint: hint}
	}
	if o := a.engineOptions().Defaults(); a.config.URI == "" {
		if err := writable(o.Dir); err != nil {
			return fails("fail", "The engine's folder "+o.Dir,
				"Give this user the right to write there, or set NOMOGRAPH_ENGINE_DIR to another folder", err)
		}
		if there, _ := os.ReadDir(o.Cache); len(there) == 0 { // a filled cache is only read, so it need not be writable
			if err := writable(o.Cache); err != nil {
				return fails("fail", "The folder for what is fetched, "+o.Cache+",",
					"Give this user the right to write there, or set NOMOGRAPH_ENGINE_CACHE to another folder", err)
			}
		}
	}
	if a.config.PagesKey == "" {
		folder, err := disk.Data("nomograph")
		if err == nil {
			err = writable(folder)
		}
		if err != nil { // a server can use a temporary key
			return fails("warn", "The folder for the key of the pages",
				"Set NOMOGRAPH_PAGES_KEY to 32 characters or more, or give this user the right to write there", err)
		}
	}
	return finding{Detail: "can be written: " + strings.Join(written, ", ")}
}

func (a *app) checkEngine() (finding, error) {
	status, err := engine.Inspect(a.engineOptions())
	if err != nil {
		return finding{}, err
	}
	free, err := engine.CheckSpace(a.engineOptions())
	if err != nil {
		return finding{}, err
	}
	f := finding{Detail: fmt.Sprintf("%s; data in %s with %s free; heap %s and page cache %s, %s", status.State,
		status.Data, humanize.IBytes(uint64(max(0, free))), status.Heap, status.PageCache, status.Why)}
	if status.Error != nil {
		f = warning("its last start failed: "+status.Error.Message, status.Error.Hint)
	}
	return f, nil
}

func checkSchema(server graph.Server) finding {
	if newest := graph.NewestMigration(); server.Migration < newest {
		return warning(fmt.Sprintf("migration %d of %d", server.Migration, newest),
			"Reading works but may be slow; `nomograph serve` migrates, unless --no-migrate is given")
	}
	return finding{Detail: fmt.Sprintf("migration %d", server.Migration)}
}

func checkContent(ctx context.Context, opened *tools.App) (finding, error) {
	found, err := opened.Live.Policies(ctx, live.PolicyFilter{Page: policies.Page{Limit: 1}})
	if err != nil {
		return finding{}, err
	}
	thresholds, err := opened.Live.Thresholds(ctx, live.ThresholdFilter{Page: policies.Page{Limit: 1}})
	f := finding{Detail: render.Plural(found.Total, "policy") + ", " + render.Plural(thresholds.Total, "threshold")}
	if found.Total+thresholds.Total == 0 {
		f.Result, f.Hint = "warn", "Apply some: nomograph policy apply core"
	}
	return f, err
}

func checkIndex(ctx context.Context, opened *tools.App) (finding, error) {
	status, err := opened.Search.Status(ctx)
	return indexFinding(status, fmt.Sprintf("vectors by %s: %d of %d decisions, %d pending", status.Embedder,
		status.Indexed, status.Decisions, status.Pending)), err
}

// indexFinding warns if the vectors of an index are not from the configured embedder.
func indexFinding(status search.Status, detail string) finding {
	if status.Embedder != "none" && !status.Matches {
		return warning(detail, status.Note)
	}
	return finding{Detail: detail}
}

func checkMemory(ctx context.Context, opened *tools.App) (finding, error) {
	stats, err := opened.Memory.Stats(ctx)
	if err != nil {
		return finding{}, err
	}
	f := finding{Detail: fmt.Sprintf("%s of %s; %d pending, %d without vectors", render.Plural(stats.Chunks, "chunk"),
		render.Plural(stats.Projects, "project"), stats.Marked, stats.Unindexed)}
	if status, err := opened.Chunks.Status(ctx); err == nil {
		f = indexFinding(status, f.Detail)
	}
	return f, nil
}

func checkNames(ctx context.Context, opened *tools.App) (finding, error) {
	twice, err := opened.Live.Duplicates(ctx)
	if len(twice) == 0 {
		return finding{Detail: "every name is unique"}, err
	}
	names := lists.Map(twice, func(d live.Duplicate) string {
		return fmt.Sprintf("%d %s nodes '%v'", d.Nodes, d.Label, d.Name)
	})
	return finding{Result: "fail", Detail: strings.Join(names, ", "),
		Hint: "Remove or rename all but one of each: reading such a name is a conflict"}, err
}

func checkSettings(ctx context.Context, opened *tools.App) (finding, error) {
	weak, err := opened.Graph.UnsafeSettings(ctx)
	switch {
	case err != nil:
		return warning("the server's settings cannot be read", //nolint:nilerr // a user need not have the right
			"Ask its administrator; docs/reference/settings.md says which ones matter"), nil
	case len(weak) == 0:
		return finding{Detail: "the settings that matter are set"}, nil
	}
	return warning(strings.Join(weak, "; "),
		"Ask the server's administrator; docs/reference/settings.md says why they matter"), nil
}

func checkClients() finding {
	var configured, others []string
	for _, c := range clients.All() {
		user, err := c.User()
		if err != nil { // services have no clients
			f := tools.SpellError(apperr.From(err), tools.Command)
			return warning(f.Message, f.Hint)
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
	switch {
	case len(others) > 0:
		return warning(strings.Join(append(configured, others...), ", "),
			"Remove the entry, then: nomograph install CLIENT")
	case len(configured) == 0:
		return warning("no client starts this server yet", "nomograph install cursor")
	}
	return finding{Detail: strings.Join(configured, ", ")}
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
func checkCoverage(ctx context.Context, opened *tools.App) (finding, error) {
	c, err := opened.Checks.Coverage(ctx, check.CoverageQuery{})
	f := finding{Detail: "no executed tool calls were recorded in the last 7 days"}
	if c.Executed > 0 {
		f.Detail = fmt.Sprintf("%d of %d executed tool calls in the last 7 days have a verdict", c.Checked, c.Executed)
	}
	if c.Gaps > 0 {
		f.Result, f.Hint = "warn", "nomograph verdict coverage lists the others with reasons"
	}
	return f, err
}

// checkRules reports policies, thresholds and tables with errors. A rule with an error denies all actions that it
// applies to.
func checkRules(ctx context.Context, opened *tools.App) (finding, error) {
	report, err := opened.Lint.Packs(ctx, lint.Request{})
	if report.Errors == 0 {
		return finding{Detail: "no errors, " + render.Plural(report.Warnings, "warning")}, err
	}
	f := finding{Result: "fail", Detail: render.Plural(report.Errors, "error"),
		Hint: "nomograph policy lint shows all of them, and what to do"}
	for _, found := range report.Findings[:min(maxErrorsShown, report.Errors,
		len(report.Findings))] { // errors come first
		f.Detail += "; " + found.Subject + ": " + found.Message
	}
	return f, err
}

// checkPacks reports nodes of packs that were changed or deleted in the graph.
func checkPacks(ctx context.Context, opened *tools.App) (finding, error) {
	list, err := opened.Change.Packs(ctx, change.PacksQuery{})
	f := finding{Result: "warn", Hint: "nomograph policy diff shows how they differ; policy apply --overwrite resets them, policy export writes them for git"}
	var drift []string
	for _, p := range list.Packs {
		for _, name := range p.Drift {
			if slices.Contains(p.Deleted, name) {
				name += " (deleted)"
			}
			drift = append(drift, "; "+name+" of "+p.Name)
		}
	}
	if len(drift) == 0 {
		return finding{Detail: fmt.Sprintf("%d applied, unchanged in the graph", list.Total)}, err
	}
	f.Detail = render.Plural(len(drift), "node") + " changed in the graph" +
		strings.Join(drift[:min(maxErrorsShown, len(drift))], "")
	return f, err
}

// checkOwners lists the rules that no pack owns, such as those of a pack that an earlier version removed.
func checkOwners(ctx context.Context, opened *tools.App) (finding, error) {
	names, err := opened.Change.UnownedRules(ctx)
	if len(names) == 0 {
		return finding{}, err
	}
	return warning(render.Plural(len(names), "rule")+" without a pack: "+strings.Join(names, ", "),
		"nomograph policy delete NAME deletes one; policy apply --adopt lets a pack that names it own it"), err
}
