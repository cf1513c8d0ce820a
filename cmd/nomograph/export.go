package main

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/files"
	"nomograph/graph"
	"nomograph/graph/archive"
	"nomograph/internal/apperr"
	"nomograph/policies/change"
)

func (a *app) export() *cobra.Command {
	export := command("export [FILE]", cobra.MaximumNArgs(1), nil)
	overwrite := export.Flags().Bool("overwrite", false, "overwrite an existing FILE")
	withVectors := export.Flags().Bool("with-vectors", false,
		"include vectors of decisions; otherwise the import recreates them")
	export.RunE = func(cmd *cobra.Command, args []string) error {
		return a.writeFile(cmd, cmp.Or(strings.Join(args, ""), "-"), *overwrite,
			func(ctx context.Context, w io.Writer) (any, error) {
				return archive.Export(graph.Operation(ctx, "export", "command line"), a.open(false).Graph, w,
					archive.ExportOptions{Vectors: *withVectors})
			})
	}
	return export
}

// writeFile writes a file completely or not at all, and prints the result. With - it writes to standard output and
// prints nothing else.
func (a *app) writeFile(cmd *cobra.Command, path string, overwrite bool,
	write func(ctx context.Context, w io.Writer) (any, error)) error {
	return a.printed(cmd, func(ctx context.Context) (written any, err error) {
		if path == "-" {
			_, err = write(ctx, cmd.OutOrStdout())
			return nil, err
		}
		err = files.Write(path, overwrite, 0o600, func(w io.Writer) (err error) {
			written, err = write(ctx, w)
			return err
		})
		return written, err
	})
}

// importArchive returns `import archive`. Like `export` it is not an operation, because servers do not write files on
// request, and an archive should not be held in memory as one text.
func (a *app) importArchive() *cobra.Command {
	importing := command("archive FILE", exactly(1, "name one file"), nil)
	overwrite := importing.Flags().Bool("overwrite", false, "overwrite nodes that differ from the file")
	skipBroken := importing.Flags().Bool("skip-broken", false,
		"skip unreadable lines and accept a truncated file; both are reported")
	importing.RunE = func(cmd *cobra.Command, args []string) error {
		file, err := files.Open(args[0])
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		var imported archive.Imported
		err = a.printed(cmd, func(ctx context.Context) (any, error) {
			imported, err = a.importFrom(graph.Operation(ctx, "import archive", "command line"), file,
				archive.ImportOptions{Overwrite: *overwrite, SkipBroken: *skipBroken,
					StartReasons: change.StartReasons()})
			return imported, err
		})
		if err != nil || imported.Nodes.Conflicts+imported.Relationships.Conflicts == 0 {
			return err
		}
		return apperr.New(apperr.Conflict, "The graph differs from the archive").
			WithHint("Compare the differences above. `--overwrite` replaces them with the archive's content")
	}
	return localCommand(importing, "writes into the database as it is")
}

// importFrom imports an archive and prepares the search of what it created.
func (a *app) importFrom(ctx context.Context, from io.Reader, o archive.ImportOptions) (archive.Imported, error) {
	opened := a.open(true)
	if _, err := opened.History.Sync(ctx); err != nil { // manual edits must count as changes that no start made
		return archive.Imported{}, err
	}
	imported, err := archive.Import(ctx, opened.Graph, from, o)
	if err != nil || imported.Nodes.Created+imported.Nodes.Replaced == 0 {
		return imported, err
	}
	note, err := opened.Search.CatchUp(ctx)
	if err == nil {
		err = opened.Memory.ImportArchive(ctx)
	}
	opened.Chunks.Wake()
	imported.Notes = append(imported.Notes, cmp.Or(note,
		"Vectors are ready: search finds the imported decisions by meaning"))
	return imported, err
}
