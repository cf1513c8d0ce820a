package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/layout"
	"nomograph/policies"
	"nomograph/tools"
)

const aboutFeed = `Print each new one from now on, whoever makes it, within two seconds; none is missed and none comes twice. While the database is
away it waits. It ends when it is interrupted. With -o json each line is an object.`

func (a *app) watchVerdicts() *cobra.Command {
	command := &cobra.Command{Use: "verdicts", Short: "Follow what is allowed and denied", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch verdicts --denied\n  nomograph watch verdicts --rule no-high-stakes-low-confidence -o json"}
	var filter policies.VerdictFilter
	flags := command.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "only those to which this rule objected")
	flags.StringVar(&filter.AgentID, "by", "", "only on actions of this agent")
	flags.StringVar(&filter.Project, "of-project", "", "only in this project")
	denied := flags.Bool("denied", false, "only denials")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if allowed := false; *denied {
			filter.Allowed = &allowed
		}
		return follow(a, cmd, func(env *tools.Env) graph.Feed[policies.VerdictRow] {
			return graph.Feed[policies.VerdictRow]{
				Key: func(v policies.VerdictRow) (string, time.Time) { return v.VerdictID, v.At },
				Read: func(ctx context.Context, after time.Time) (all []policies.VerdictRow, err error) {
					page := filter
					page.DateAfter, page.Limit = after.Format(time.RFC3339Nano), 500
					for more := true; more && err == nil; more = page.Cursor != "" {
						var list policies.VerdictList
						list, err = env.Policies.Verdicts(ctx, page)
						all, page.Cursor = append(all, list.Verdicts...), list.NextCursor
					}
					return all, err
				},
			}
		}, func(page layout.Page, v policies.VerdictRow) string {
			answer := page.Word(map[bool]string{true: "allowed", false: "denied"}[v.Allowed])
			return strings.Join(slices.DeleteFunc([]string{v.At.Format(time.RFC3339), answer, v.VerdictID, layout.Line(v.Description), "by " + v.AgentID,
				cell(layout.Page{}, v.Rules)}, func(part string) bool { return part == "" }), "  ")
		})
	}
	return command
}

func (a *app) watchDecisions() *cobra.Command {
	command := &cobra.Command{Use: "decisions", Short: "Follow what is decided", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch decisions --of-project acme/shop\n  nomograph watch decisions --category security -o json"}
	var filter decisions.ListQuery
	flags := command.Flags()
	flags.StringVar(&filter.Category, "category", "", "only in this category")
	flags.StringSliceVar(&filter.Stakes, "stakes", nil, "any of low, medium, high, critical")
	flags.StringVar(&filter.AgentID, "by", "", "only this agent's")
	flags.StringVar(&filter.Project, "of-project", "", "only in this project")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return follow(a, cmd, func(env *tools.Env) graph.Feed[decisions.Summary] {
			return graph.Feed[decisions.Summary]{
				Key: func(d decisions.Summary) (string, time.Time) { return d.ID, d.Date },
				Read: func(ctx context.Context, after time.Time) (all []decisions.Summary, err error) {
					page := filter
					page.DateAfter, page.Limit = after.Format(time.RFC3339Nano), 100
					for more := true; more && err == nil; more = page.Cursor != "" {
						var list decisions.List
						list, err = env.Decisions.List(ctx, page)
						all, page.Cursor = append(all, list.Decisions...), list.NextCursor
					}
					return all, err
				},
			}
		}, func(_ layout.Page, d decisions.Summary) string {
			return strings.Join([]string{d.Date.Format(time.RFC3339), d.ID, layout.Line(d.Title), d.Category, d.Stakes + " stakes", "by " + d.AgentID}, "  ")
		})
	}
	return command
}

// follow prints what a feed tells, a line each.
func follow[T any](a *app, cmd *cobra.Command, feed func(*tools.Env) graph.Feed[T], line func(layout.Page, T) string) error {
	if len(a.fields) > 0 || a.output != "" && a.output != "json" {
		return usageError{errors.New("watch prints lines for people, or with -o json an object a line")}
	}
	ctx, done := a.progress(cmd.Context())
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
	env, w := a.open(false), cmd.OutOrStdout()
	return unlessInterrupted(ctx, feed(env).Follow(ctx, env.Graph, func(item T) error {
		done()
		if a.output == "json" {
			text, err := layout.JSON(item)
			if err != nil {
				return err
			}
			return write(w, string(text)+"\n")
		}
		page := a.page(w)
		return write(w, page.Finish(line(page, item))+"\n")
	}, func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "waiting: "+layout.Visible(err.Error())) }))
}
