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
	"nomograph/cmd/nomograph/output"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/apperr"
)

func (a *app) engine() *cobra.Command {
	command := &cobra.Command{
		Use: "engine",
	}
	command.AddCommand(
		&cobra.Command{
			Use: "start", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withManagedEngine(cmd, func(ctx *cobra.Command, o engine.Options) error {
					lease, err := engine.Acquire(ctx.Context(), o)
					if err != nil {
						return err
					}
					return lease.Release()
				})
			},
		},
		&cobra.Command{
			Use: "stop", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withManagedEngine(cmd, func(ctx *cobra.Command,
					o engine.Options) error {
					return engine.Stop(ctx.Context(), o)
				})
			},
		},
		&cobra.Command{
			Use: "status", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return a.engineStatus(cmd.OutOrStdout()) },
		},
		a.engineFetch(),
		a.engineLogs(),
		&cobra.Command{
			Use: "path", Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				status, err := engine.Inspect(a.engineOptions())
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), filepath.Dir(status.Data))
				return err
			},
		},
		&cobra.Command{
			Use: "cypher STATEMENT", Args: exactly(1, "give one Cypher STATEMENT, in quotes"),
			RunE: func(cmd *cobra.Command, args []string) error { return a.engineCypher(cmd, args[0]) },
		},
		&cobra.Command{
			Use: "backup FILE", Args: exactly(1, "name one FILE"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.maintainEngine(cmd, args[0], engine.Backup)
			},
		},
		&cobra.Command{
			Use: "restore FILE", Args: exactly(1, "name one FILE"),
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.maintainEngine(cmd, args[0], engine.Restore)
			},
		},
		&cobra.Command{
			Use: "supervise", Hidden: true, Args: cobra.NoArgs,
			// The options come from the parent process, not from config files.
			PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
			RunE: func(cmd *cobra.Command, _ []string) error {
				o, err := engine.OptionsFromEnv()
				if err != nil {
					return err
				}
				return engine.Supervise(cmd.Context(), o)
			},
		},
	)
	return command
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
func (a *app) engineCypher(cmd *cobra.Command, statement string) error {
	if err := a.otherDatabase("cypher-shell"); err != nil {
		return err
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	rows := []map[string]any{}
	err := a.open(true).Graph.Write(ctx, func(tx *graph.Tx) (err error) {
		rows, err = graph.All[map[string]any](ctx, tx, cypher.New("statement of a person", statement, true), nil)
		return err
	})
	if err != nil {
		return graph.StatementError(err)
	}
	for _, row := range rows {
		for column, value := range row {
			row[column] = graph.JSON(value)
		}
	}
	done()
	return a.form.Print(cmd.OutOrStdout(), map[string]any{"rows": rows})
}

func (a *app) engineFetch() *cobra.Command {
	command := &cobra.Command{Use: "fetch", Args: cobra.NoArgs}
	to := command.Flags().String("to", "", "directory for lib and jre, to copy as engine beside a program (default the cache)")
	platform := command.Flags().String("platform", "",
		"operating system and architecture, such as linux/arm64, with --to (default this machine's)")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, done := output.Progress(cmd.Context(), a.quiet)
		defer done()
		if *platform != "" && *to == "" {
			return arguments.Usagef("--platform needs --to")
		}
		return engine.Fetch(ctx, a.engineOptions(), *to, cmp.Or(*platform, runtime.GOOS+"/"+runtime.GOARCH))
	}
	return command
}

// maintainEngine backs up or restores the graph, prints the file, and starts an engine again that ran before.
func (a *app) maintainEngine(cmd *cobra.Command, file string,
	work func(context.Context, engine.Options, string) error) error {
	if err := a.otherDatabase("neo4j-admin"); err != nil {
		return err
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	o := a.engineOptions()
	before, err := engine.Inspect(o)
	if err != nil {
		return err
	}
	if err := work(ctx, o, file); err != nil {
		return err
	}
	if before.State == engine.Running {
		lease, err := engine.Acquire(ctx, o)
		if err != nil {
			return err
		}
		if err := lease.Release(); err != nil {
			return err
		}
	}
	done()
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	after, err := engine.Inspect(o)
	if err != nil {
		return err
	}
	return a.form.Print(cmd.OutOrStdout(), struct {
		File  string       `json:"file"`
		Bytes int64        `json:"bytes"`
		State engine.State `json:"state"` // of the engine
	}{path, info.Size(), after.State})
}

// withManagedEngine runs work on the managed engine and prints the resulting state.
func (a *app) withManagedEngine(cmd *cobra.Command, work func(*cobra.Command, engine.Options) error) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	cmd.SetContext(ctx)
	if a.config.URI != "" {
		fmt.Fprintln(os.Stderr, "note: NEO4J_URI is set, so operations use", a.config.URI, "and not this engine")
	}
	if err := work(cmd, a.engineOptions()); err != nil {
		return err
	}
	done()
	return a.engineStatus(cmd.OutOrStdout())
}

func (a *app) engineStatus(w io.Writer) error {
	status, err := engine.Inspect(a.engineOptions())
	if err != nil {
		return err
	}
	return a.form.Print(w, status)
}

func (a *app) engineLogs() *cobra.Command {
	var lines int
	var follow bool
	command := &cobra.Command{
		Use: "logs", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			paths := engine.Logs(a.engineOptions())
			if len(paths) == 0 {
				return apperr.New(apperr.NotFound, "The engine has no log yet").
					WithHint("Start it with `nomograph engine start`")
			}
			for _, path := range paths {
				text, err := engine.Tail(path, lines)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "==> %s <==\n%s\n", path, text)
			}
			if follow {
				return followFile(cmd, paths[0])
			}
			return nil
		},
	}
	command.Flags().IntVarP(&lines, "lines", "n", 20, "number of lines of each log")
	command.Flags().BoolVarP(&follow, "follow", "f", false, "follow the first log")
	return command
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
