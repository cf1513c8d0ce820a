package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/files"
	"nomograph/cmd/nomograph/output"
	"nomograph/internal/apperr"
	"nomograph/internal/timeparse"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/tools"
)

// policyTrial replays recorded actions with every rule of the named packs enforced.
func (a *app) policyTrial() *cobra.Command {
	var since, by string
	command := &cobra.Command{
		Use:  "trial NAME|FILE...",
		Args: requireArgs("NAME or FILE", maxFiles),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, ok := tools.Find(a.operations, "replay_policies")
			if !ok {
				return apperr.New(apperr.Internal, "The operation replay_policies is missing").
					WithHint("Install nomograph again: this build is incomplete")
			}
			documents, err := files.Documents(args)
			if err != nil {
				return err
			}
			var sources []pack.Source
			if text, err := json.Marshal(documents); err != nil {
				return err
			} else if err := json.Unmarshal(text, &sources); err != nil {
				return err
			}
			q := lab.Request{Filter: lab.Filter{AgentID: by, Project: a.config.Project,
				Range: timeparse.Range{DateAfter: since}}}
			q.Packs, q.Mode = sources, map[string]any{}
			packs, err := pack.ParseAll(cmd.Context(), sources)
			if err != nil {
				return err
			}
			for _, p := range packs {
				for _, item := range p.Items {
					if item.Section.Name == "policies" && item.Properties["active"] == true &&
						(item.Properties["requires"] != nil || item.Properties["forbids_pattern"] != nil) {
						q.Mode[item.Key] = "enforce"
					}
				}
			}
			raw, err := json.Marshal(q)
			if err != nil {
				return err
			}
			ctx, done := output.Progress(cmd.Context(), a.quiet)
			defer done()
			answer, shown, err := a.run(a.local(ctx, o), o, raw)
			if err != nil {
				return err
			}
			done()
			a.form.Schema, a.form.Recorded = o.Output(), o.Recorded()
			if shown == nil {
				shown = answer
			}
			return a.answer(cmd, o, shown)
		},
	}
	command.Flags().StringVar(&since, "since", "1w", "start: a time, a day, or an age such as 1h or 2w")
	command.Flags().StringVar(&by, "by", "", "only actions of this agent")
	return command
}
