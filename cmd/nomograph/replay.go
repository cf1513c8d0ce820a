package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/files"
	"nomograph/cmd/nomograph/output"
	"nomograph/internal/apperr"
	"nomograph/internal/heapgrowth"
	"nomograph/policies/lab"
	"nomograph/tools"
)

// addReplayFiles adds the flags --export and --acts to `policy replay`. Servers read and write no files, and the
// actions should not be held in memory as one text, so both work only locally.
func (a *app) addReplayFiles(root *cobra.Command) {
	command, _, err := root.Find([]string{"policy", "replay"})
	o, ok := tools.Find(a.operations, "replay_policies")
	if err != nil || !ok || command.Name() != "replay" || !a.mayRun("policy", "replay") {
		return
	}
	export := command.Flags().String("export", "",
		"write the rules and the acts of the window to a file instead of replaying")
	overwrite := command.Flags().Bool("overwrite", false, "overwrite an existing export")
	acts := command.Flags().String("acts", "", "replay the acts and rules of an exported file, without a database (- for standard input)")
	replay := command.RunE
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if *export == "" && *acts == "" {
			return replay(cmd, args)
		}
		if *export != "" && *acts != "" {
			return arguments.Usagef("--export writes a file and --acts reads one: use one of them")
		}
		if a.remote != nil {
			return arguments.Usagef("--export and --acts use local files: leave out the server")
		}
		q, err := replayRequest(cmd, o, args)
		if err != nil {
			return err
		}
		if *export != "" {
			return a.writeFile(cmd, *export, *overwrite, func(ctx context.Context, w io.Writer) (any, error) {
				return a.open(false).Lab.Export(a.local(ctx, o), q.Filter, w)
			})
		}
		return a.replayFile(cmd, o, q, *acts)
	}
}

// replayRequest converts flags and arguments like the operation does.
func replayRequest(cmd *cobra.Command, o tools.Operation, args []string) (lab.Request, error) {
	values, err := arguments.Read(cmd, arguments.WithoutCollisions(o, cmd.Root()), args)
	if err != nil {
		return lab.Request{}, err
	}
	if values["proposal_id"] != nil {
		return lab.Request{}, arguments.Usagef("--proposal is in the database: leave out --export and --acts")
	}
	text, err := json.Marshal(values)
	if err != nil {
		return lab.Request{}, err
	}
	var q lab.Request
	if err := json.Unmarshal(text, &q); err != nil {
		return lab.Request{}, apperr.New(apperr.Validation, "Cannot read the replay request").
			WithHint("`nomograph policy replay --help` shows its flags").Because(err)
	}
	return q, nil
}

func (a *app) replayFile(cmd *cobra.Command, o tools.Operation, q lab.Request, path string) error {
	file, err := files.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	heapgrowth.EndStartPhase()
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	out, err := lab.ReplayFile(ctx, q, file)
	if err != nil {
		return err
	}
	done()
	return cmp.Or(a.answer(cmd, o, out), verdictOf(out))
}
