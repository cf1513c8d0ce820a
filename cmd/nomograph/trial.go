package main

import (
	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/output"
	"nomograph/internal/timeparse"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/tools"
)

// policyTrial replays recorded actions with every rule of the named packs enforced.
func (a *app) policyTrial() *cobra.Command {
	trial := command("trial NAME|FILE...", requireArgs("NAME or FILE", maxFiles), nil)
	since := trial.Flags().String("since", "1w", "start: a time, a day, or an age such as 1h or 2w")
	by := trial.Flags().String("by", "", "only actions of this agent")
	trial.RunE = func(cmd *cobra.Command, args []string) error {
		o, _ := tools.Find(tools.Catalog, "replay_policies")
		sources, err := packSources(args)
		if err != nil {
			return err
		}
		q := lab.Request{Filter: lab.Filter{AgentID: *by, Project: a.config.Project,
			Range: timeparse.Range{DateAfter: *since}}}
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
		ctx, done := output.Progress(cmd.Context(), a.quiet)
		defer done()
		_, shown, err := a.ask(ctx, o.Name, q)
		if err != nil {
			return err
		}
		done()
		return a.answer(cmd, o, shown)
	}
	return trial
}
