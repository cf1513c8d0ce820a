package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
)

func (a *app) engine() *cobra.Command {
	group, supervise := &cobra.Command{Use: "engine"}, command("supervise", cobra.NoArgs, superviseEngine)
	supervise.Hidden = true
	// The options come from the parent process, not from config files.
	supervise.PersistentPreRunE = func(*cobra.Command, []string) error { return nil }
	group.AddCommand(supervise, a.engineFetch(), a.engineLogs(),
		command("start", cobra.NoArgs, a.withManagedEngine(startEngine)),
		command("stop", cobra.NoArgs, a.withManagedEngine(engine.Stop)),
		command("status", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
			return a.printed(cmd, func(context.Context) (any, error) { return engine.Inspect(a.engineOptions()) })
		}),
		command("path", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
			status, err := engine.Inspect(a.engineOptions())
			if err == nil {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), filepath.Dir(status.Data))
			}
			return err
		}),
		command("cypher STATEMENT", exactly(1, "give one Cypher STATEMENT, in quotes"), a.engineCypher),
		command("backup FILE", exactly(1, "name one FILE"), a.maintainEngine(engine.Backup)),
		command("restore FILE", exactly(1, "name one FILE"), a.maintainEngine(engine.Restore)))
	return group
}

func superviseEngine(cmd *cobra.Command, _ []string) error {
	o, err := engine.OptionsFromEnv()
	if err != nil {
		return err
	}
	return engine.Supervise(cmd.Context(), o)
}

func startEngine(ctx context.Context, o engine.Options) error {
	lease, err := engine.Acquire(ctx, o)
	if err != nil {
		return err
	}
	return lease.Release()
}

// otherDatabase returns the error of a command for the private engine if the settings name another database.
func (a *app) otherDatabase(instead string) error {
	if a.config.URI == "" {
		return nil
	}
	return apperr.Newf(apperr.Validation, "NEO4J_URI names another database than the private engine: %s", a.config.URI).
		WithHint("Use %s for that database, or unset NEO4J_URI", instead)
}

// engineCypher runs any statement on the private engine, as a person at a database shell does. What it changes is a
// change by hand, which policy sync records.
func (a *app) engineCypher(cmd *cobra.Command, args []string) error {
	if err := a.otherDatabase("cypher-shell"); err != nil {
		return err
	}
	return a.printed(cmd, func(ctx context.Context) (any, error) {
		rows := []map[string]any{}
		err := a.open(true).Graph.Write(ctx, func(tx *graph.Tx) (err error) {
			rows, err = graph.All[map[string]any](ctx, tx, cypher.New("statement of a person", args[0], true), nil)
			return err
		})
		if err != nil {
			return nil, graph.StatementError(err)
		}
		for _, row := range rows {
			for column, value := range row {
				row[column] = graph.JSON(value)
			}
		}
		return map[string]any{"rows": rows}, nil
	})
}

func (a *app) engineFetch() *cobra.Command {
	fetch := command("fetch", cobra.NoArgs, nil)
	to := fetch.Flags().String("to", "", "directory for lib and jre, to copy as engine beside a program (default the cache)")
	platform := fetch.Flags().String("platform", "",
		"operating system and architecture, such as linux/arm64, with --to (default this machine's)")
	fetch.RunE = func(cmd *cobra.Command, _ []string) error {
		if *platform != "" && *to == "" {
			return arguments.Usagef("--platform needs --to")
		}
		return a.printed(cmd, func(ctx context.Context) (any, error) {
			return nil, engine.Fetch(ctx, a.engineOptions(), *to, cmp.Or(*platform, runtime.GOOS+"/"+runtime.GOARCH))
		})
	}
	return fetch
}

// maintained is the answer of a backup or restoration.
type maintained struct {
	File  string       `json:"file"`
	Bytes int64        `json:"bytes"`
	State engine.State `json:"state"` // of the engine
}

// maintainEngine backs up or restores the graph, prints the file, and starts an engine again that ran before.
func (a *app) maintainEngine(work func(context.Context, engine.Options, string) error) runner {
	return func(cmd *cobra.Command, args []string) error {
		if err := a.otherDatabase("neo4j-admin"); err != nil {
			return err
		}
		return a.printed(cmd, func(ctx context.Context) (any, error) {
			o := a.engineOptions()
			before, err := engine.Inspect(o)
			if err != nil {
				return nil, err
			}
			if err = work(ctx, o, args[0]); err == nil && before.State == engine.Running {
				err = startEngine(ctx, o)
			}
			if err != nil {
				return nil, err
			}
			path, err := filepath.Abs(args[0])
			if err != nil {
				return nil, err
			}
			info, err := os.Stat(path)
			if err != nil {
				return nil, err
			}
			after, err := engine.Inspect(o)
			return maintained{path, info.Size(), after.State}, err
		})
	}
}

// withManagedEngine runs work on the managed engine and prints the resulting state.
func (a *app) withManagedEngine(work func(context.Context, engine.Options) error) runner {
	return func(cmd *cobra.Command, _ []string) error {
		if a.config.URI != "" {
			fmt.Fprintln(os.Stderr, "note: NEO4J_URI is set, so operations use", a.config.URI, "and not this engine")
		}
		return a.printed(cmd, func(ctx context.Context) (any, error) {
			if err := work(ctx, a.engineOptions()); err != nil {
				return nil, err
			}
			return engine.Inspect(a.engineOptions())
		})
	}
}

func (a *app) engineLogs() *cobra.Command {
	logs := command("logs", cobra.NoArgs, nil)
	lines := logs.Flags().IntP("lines", "n", 20, "number of lines of each log")
	follow := logs.Flags().BoolP("follow", "f", false, "follow the first log")
	logs.RunE = func(cmd *cobra.Command, _ []string) error {
		paths := engine.Logs(a.engineOptions())
		if len(paths) == 0 {
			return apperr.New(apperr.NotFound, "The engine has no log yet").
				WithHint("Start it with `nomograph engine start`")
		}
		for _, path := range paths {
			text, err := engine.Tail(path, *lines)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "==> %s <==\n%s\n", path, text)
		}
		if *follow {
			return followFile(cmd, paths[0])
		}
		return nil
	}
	return logs
}

func followFile(cmd *cobra.Command, path string) error {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(0, io.SeekEnd); err != nil {
		return err
	}
	for cmd.Context().Err() == nil {
		if _, err := io.Copy(cmd.OutOrStdout(), file); err != nil {
			return err
		}
		select {
		case <-cmd.Context().Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
	return nil
}
