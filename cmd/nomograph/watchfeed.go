package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/layout"
	"nomograph/policies/gate"
	"nomograph/tools"
)

const aboutFeed = `Print each new one from now on, whoever makes it, within two seconds; none is missed and none comes twice. While the database is
away it waits. It ends when it is interrupted. With -o json each line is an object.`

func (a *app) watchVerdicts() *cobra.Command {
	command := &cobra.Command{Use: "verdicts", Short: "Follow what is allowed and denied", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch verdicts --denied\n  nomograph watch verdicts --rule no-high-stakes-low-confidence -o json"}
	var filter gate.VerdictFilter
	flags := command.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "only those to which this rule objected")
	flags.StringVar(&filter.AgentID, "by", "", "only on actions of this agent")
	flags.StringVar(&filter.Project, "of-project", "", "only in this project")
	denied := flags.Bool("denied", false, "only denials")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if allowed := false; *denied {
			filter.Allowed = &allowed
		}
		return follow(a, cmd, feed[gate.VerdictRow]{
			key: func(v gate.VerdictRow) (string, time.Time) { return v.VerdictID, v.At },
			read: func(ctx context.Context, env *tools.Env, after, cursor string) ([]gate.VerdictRow, string, error) {
				filter.DateAfter, filter.Cursor, filter.Limit = after, cursor, 500
				list, err := env.Gate.Verdicts(ctx, filter)
				return list.Verdicts, list.NextCursor, err
			},
			line: func(page layout.Page, v gate.VerdictRow) string {
				answer := page.Word(map[bool]string{true: "allowed", false: "denied"}[v.Allowed])
				return strings.Join(slices.DeleteFunc([]string{v.At.Format(time.RFC3339), answer, v.VerdictID, layout.Line(v.Description), "by " + v.AgentID,
					output.Cell(v.Rules)}, func(part string) bool { return part == "" }), "  ")
			},
		})
	}
	return command
}

func (a *app) watchDecisions() *cobra.Command {
	command := &cobra.Command{Use: "decisions", Short: "Follow what is decided", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch decisions --of-project acme/shop\n  nomograph watch decisions --category security -o json"}
	var filter precedents.ListQuery
	flags := command.Flags()
	flags.StringVar(&filter.Category, "category", "", "only in this category")
	flags.StringSliceVar(&filter.Stakes, "stakes", nil, "any of low, medium, high, critical")
	flags.StringVar(&filter.AgentID, "by", "", "only this agent's")
	flags.StringVar(&filter.Project, "of-project", "", "only in this project")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return follow(a, cmd, feed[decisions.Summary]{
			key: func(d decisions.Summary) (string, time.Time) { return d.ID, d.Date },
			read: func(ctx context.Context, env *tools.Env, after, cursor string) ([]decisions.Summary, string, error) {
				filter.DateAfter, filter.Cursor, filter.Limit = after, cursor, 100
				list, err := env.Precedents.List(ctx, filter)
				return list.Decisions, list.NextCursor, err
			},
			line: func(_ layout.Page, d decisions.Summary) string {
				return strings.Join([]string{d.Date.Format(time.RFC3339), d.ID, layout.Line(d.Title), d.Category, d.Stakes + " stakes", "by " + d.AgentID}, "  ")
			},
		})
	}
	return command
}

// feed is what one command follows: what names an item, a page of those after a moment and the cursor of the next page, and
// the line that an item is told in.
type feed[T any] struct {
	key  func(T) (id string, at time.Time)
	read func(ctx context.Context, env *tools.Env, after, cursor string) (page []T, next string, err error)
	line func(layout.Page, T) string
}

// follow prints what a feed tells, a line each.
func follow[T any](a *app, cmd *cobra.Command, f feed[T]) error {
	if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
		return arguments.Usagef("watch prints lines for people, or with -o json an object a line")
	}
	ctx, done := a.progress(cmd.Context())
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
	env, w := a.open(false), cmd.OutOrStdout()
	all := func(ctx context.Context, after time.Time) (all []T, err error) {
		for cursor, more := "", true; more && err == nil; more = cursor != "" {
			var page []T
			page, cursor, err = f.read(ctx, env, after.Format(time.RFC3339Nano), cursor)
			all = append(all, page...)
		}
		return all, err
	}
	return unlessInterrupted(ctx, graph.Feed[T]{Key: f.key, Read: all}.Follow(ctx, env.Graph, func(item T) error {
		done()
		if a.form.Name == "json" {
			text, err := layout.JSON(item)
			if err != nil {
				return err
			}
			return output.Write(w, string(text)+"\n")
		}
		page := a.form.Page(w)
		return output.Write(w, page.Finish(f.line(page, item))+"\n")
	}, func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "waiting: "+layout.Visible(err.Error())) }))
}
