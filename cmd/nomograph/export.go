package main

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/files"
	"nomograph/cmd/nomograph/output"
	"nomograph/graph"
	"nomograph/graph/archive"
	"nomograph/internal/apperr"
	"nomograph/policies/change"
)

// addImportArchive adds `import archive`. Like `export` it is not an operation, because servers do not write files on
// request, and an archive should not be held in memory as one text.
func (a *app) addImportArchive(parent *cobra.Command) {
	parent.AddCommand(localCommand(a.importArchive(), "writes into the database as it is"))
}

func (a *app) addMemoryInstall(parent *cobra.Command) { parent.AddCommand(a.memoryInstall()) }

func (a *app) export() *cobra.Command {
	command := &cobra.Command{
		Use:  "export [FILE]",
		Args: cobra.MaximumNArgs(1),
	}
	overwrite := command.Flags().Bool("overwrite", false, "overwrite an existing FILE")
	withVectors := command.Flags().Bool("with-vectors", false,
		"include vectors of decisions; otherwise the import recreates them")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		return a.writeFile(cmd, cmp.Or(strings.Join(args, ""), "-"), *overwrite,
			func(ctx context.Context, w io.Writer) (any, error) {
				return archive.Export(graph.Operation(ctx, "export", "command line"), a.open(false).Graph, w,
					archive.ExportOptions{Vectors: *withVectors})
			})
	}
	return command
}

// writeFile writes a file completely or not at all, and prints the result. With - it writes to standard output and
// prints nothing else.
func (a *app) writeFile(cmd *cobra.Command, path string, overwrite bool,
	write func(ctx context.Context, w io.Writer) (any, error)) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	if path == "-" {
		_, err := write(ctx, cmd.OutOrStdout())
		return err
	}
	var written any
	err := files.Write(path, overwrite, 0o600, func(w io.Writer) (err error) {
		written, err = write(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	done()
	return a.form.Print(cmd.OutOrStdout(), written)
}

func (a *app) importArchive() *cobra.Command {
	command := &cobra.Command{
		Use:  "archive FILE",
		Args: exactly(1, "name one file"),
	}
	overwrite := command.Flags().Bool("overwrite", false, "overwrite nodes that differ from the file")
	skipBroken := command.Flags().Bool("skip-broken", false,
		"skip unreadable lines and accept a truncated file; both are reported")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		file, err := files.Open(args[0])
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		ctx, done := output.Progress(cmd.Context(), a.quiet)
		defer done()
		ctx = graph.Operation(ctx, "import archive", "command line")
		opened := a.open(true)
		if _, err := opened.History.Sync(ctx); err != nil { // manual edits must count as changes that no start made
			return err
		}
		imported, err := archive.Import(ctx, opened.Graph, file,
			archive.ImportOptions{Overwrite: *overwrite, SkipBroken: *skipBroken, StartReasons: change.StartReasons()})
		if err != nil {
			return err
		}
		if imported.Nodes.Created+imported.Nodes.Replaced > 0 {
			note, err := opened.Search.CatchUp(ctx)
			if err != nil {
				return err
			}
			if err := opened.Memory.ImportArchive(ctx); err != nil {
				return err
			}
			opened.Chunks.Wake()
			imported.Notes = append(imported.Notes, cmp.Or(note,
				"Vectors are ready: search finds the imported decisions by meaning"))
		}
		done()
		if err := a.form.Print(cmd.OutOrStdout(), imported); err != nil ||
			imported.Nodes.Conflicts+imported.Relationships.Conflicts == 0 {
			return err
		}
		return apperr.New(apperr.Conflict, "The graph differs from the archive").
			WithHint("Compare the differences above. `--overwrite` replaces them with the archive's content")
	}
	return command
}
