package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/tools"
)

const aboutFeed = `Print each new item within two seconds, exactly once. Waits while the database is unavailable. Runs until interrupted. With
-o json each line is an object.`

func (a *app) watchVerdicts() *cobra.Command {
	command := &cobra.Command{Use: "verdicts", Short: "Watch verdicts", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch verdicts --denied\n  nomograph watch verdicts --rule no-high-stakes-low-confidence -o json"}
	filter := events.Filter{Types: []string{events.VerdictGiven}}
	flags := command.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "filter by violated rule")
	flags.StringVar(&filter.AgentID, "by", "", "filter by agent")
	flags.StringVar(&filter.Project, "project", "", "filter by project")
	denied := flags.Bool("denied", false, "only denials")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		if allowed := false; *denied {
			filter.Allowed = &allowed
		}
		return a.followEvents(cmd, filter, func(page terminal.Page, e *events.Event) (any, string) {
			v := e.Verdict
			answer := page.ColorWord(map[bool]string{true: "allowed", false: "denied"}[v.Allowed])
			return v, strings.Join(slices.DeleteFunc([]string{v.At.Format(time.RFC3339), answer, v.VerdictID, terminal.Line(v.Description), "by " + v.AgentID,
				output.Cell(v.Rules)}, func(part string) bool { return part == "" }), "  ")
		})
	}
	return command
}

func (a *app) watchDecisions() *cobra.Command {
	command := &cobra.Command{Use: "decisions", Short: "Watch decisions", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch decisions --project acme/shop\n  nomograph watch decisions --category security -o json"}
	filter := events.Filter{Types: []string{events.DecisionRecorded}}
	flags := command.Flags()
	flags.StringVar(&filter.Category, "category", "", "filter by category")
	flags.StringSliceVar(&filter.Stakes, "stakes", nil, "filter by stakes: low, medium, high, critical")
	flags.StringVar(&filter.AgentID, "by", "", "filter by agent")
	flags.StringVar(&filter.Project, "project", "", "filter by project")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.followEvents(cmd, filter, func(_ terminal.Page, e *events.Event) (any, string) {
			d := e.Decision
			return d, strings.Join([]string{d.Date.Format(time.RFC3339), d.ID, terminal.Line(d.Title), d.Category, d.Stakes + " stakes", "by " + d.AgentID}, "  ")
		})
	}
	return command
}

func (a *app) watchApprovals() *cobra.Command {
	command := &cobra.Command{Use: "approvals", Short: "Watch approval requests and answers", Long: aboutFeed, Args: cobra.NoArgs,
		Example: "  nomograph watch approvals\n  nomograph watch approvals --action refund.pay -o json"}
	filter := events.Filter{Types: []string{events.ApprovalAsked, events.ApprovalAnswered}}
	flags := command.Flags()
	flags.StringVar(&filter.Name, "action", "", "filter by action")
	flags.StringVar(&filter.Session, "session", "", "filter by session")
	command.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.followEvents(cmd, filter, func(page terminal.Page, e *events.Event) (any, string) {
			p := e.Approval
			parts := []string{e.At.Format(time.RFC3339), page.ColorWord(p.State), p.ApprovalID, p.AgentID, terminal.Line(p.Action), terminal.Line(p.Project), terminal.Line(p.Params), terminal.Line(p.Why)}
			if len(p.Hidden) > 0 {
				parts = append(parts, "hidden: "+terminal.Line(strings.Join(p.Hidden, ", ")))
			}
			if e.Type == events.ApprovalAnswered {
				parts = append(parts, "by "+p.AnsweredBy, terminal.Line(p.Reason))
			}
			return p, strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "  ")
		})
	}
	return command
}

func (a *app) watchSession() *cobra.Command {
	command := &cobra.Command{Use: "session [SESSION_ID]", Short: "Watch session events: contexts, reported actions, thoughts", Long: aboutFeed, Args: cobra.MaximumNArgs(1),
		Example: "  nomograph watch session invoices-42\n  nomograph watch session --by claude-code -o json"}
	filter := events.Filter{Types: []string{"session"}}
	command.Flags().StringVar(&filter.AgentID, "by", "", "filter by agent")
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			filter.Session = args[0]
		}
		return a.followEvents(cmd, filter, func(_ terminal.Page, e *events.Event) (any, string) {
			said := e.Session
			text, err := render.JSON(said.Payload)
			if err != nil {
				text = nil
			}
			return said, strings.Join([]string{said.At.Format(time.RFC3339), said.SessionID, strconv.FormatInt(said.Seq, 10), said.Type, "by " + said.AgentID, terminal.Line(string(text))}, "  ")
		})
	}
	return command
}

// followEvents prints each event that a filter leaves, as what it is about or in a line, until it is interrupted.
func (a *app) followEvents(cmd *cobra.Command, filter events.Filter, shown func(terminal.Page, *events.Event) (about any, line string)) error {
	if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
		return arguments.Usagef("watch prints lines for people, or with -o json an object a line")
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
	w := cmd.OutOrStdout()
	tell := func(e *events.Event) error {
		page := a.form.Page(w)
		about, line := shown(page, e)
		if a.form.Name != "json" {
			return output.Write(w, page.Finish(line)+"\n")
		}
		text, err := render.JSON(about)
		if err != nil {
			return err
		}
		return output.Write(w, string(text)+"\n")
	}
	if a.remote != nil {
		return a.remote.Follow(ctx, client.Events{Query: parametersOf(filter), Tell: tell, Away: func(err error) { a.waits(cmd, err) },
			Opened: func() error { done(); return nil }})
	}
	types, err := filter.ChosenTypes()
	if err != nil {
		return err
	}
	query, f := events.Query{Filter: filter, Types: types}, a.open(false).Feed
	for {
		subscription, err := f.Subscribe(ctx, query)
		if err != nil {
			return unlessInterrupted(ctx, err)
		}
		done()
		position, err := tellAll(ctx, subscription, tell)
		subscription.Close()
		if !errors.Is(err, events.ErrSlow) {
			return unlessInterrupted(ctx, err)
		}
		if query.After, err = positionOf(position); err != nil { // who reads our output is slow; what it has not read is told again
			return err
		}
	}
}

// parametersOf are those of a server's path of events.
func parametersOf(f events.Filter) url.Values {
	q := url.Values{"type": f.Types, "stakes": f.Stakes}
	for name, value := range map[string]string{"name": f.Name, "rule": f.Rule, "project": f.Project, "agent_id": f.AgentID, "category": f.Category, "outcome": f.Outcome, "session_id": f.Session} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Allowed != nil {
		q.Set("allowed", strconv.FormatBool(*f.Allowed))
	}
	return q
}

// waits says that a server cannot be reached, and that it is waited for.
func (a *app) waits(cmd *cobra.Command, err error) {
	fmt.Fprintln(cmd.ErrOrStderr(), "waiting: "+render.EscapeControl(err.Error()))
}

// tellAll tells what a subscription gives until it ends, and the position behind the last event.
func tellAll(ctx context.Context, s *events.Subscription, tell func(*events.Event) error) (position string, err error) {
	position = s.Position()
	for {
		e, behind, err := s.Next(ctx)
		if err == nil {
			position, err = behind, tell(e)
		}
		if err != nil {
			return position, err
		}
	}
}

func positionOf(text string) (*events.Position, error) {
	p, err := events.ParsePosition(text)
	if err != nil {
		return nil, fmt.Errorf("the position %s: %w", text, err)
	}
	return &p, nil
}
