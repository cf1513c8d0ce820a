package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"nomograph/client"
	"nomograph/cmd/nomograph/arguments"
	"nomograph/cmd/nomograph/output"
	"nomograph/events"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/tools"
)

func (a *app) watch() *cobra.Command {
	group := &cobra.Command{Use: "watch"}
	group.AddCommand(a.watchNode(policies.KindThreshold), a.watchNode(policies.KindPolicy))
	for _, f := range feeds {
		group.AddCommand(a.watchEvents(f))
	}
	return group
}

func (a *app) watchNode(kind string) *cobra.Command {
	get, ok := tools.Find(tools.Catalog, "get_"+kind)
	if !ok {
		panic("no operation get_" + kind)
	}
	watch := command(kind+" NAME", func(cmd *cobra.Command, args []string) error {
		return arguments.Check(cmd, get, args)
	}, nil)
	watch.ValidArgsFunction = a.completeNames(get)
	scope := watch.Flags().String("scope", "", a.flagHelp(get, "scope", "watch"))
	watch.RunE = func(cmd *cobra.Command, args []string) error {
		return a.watching(cmd, func(ctx context.Context, done func()) error {
			return a.follow(ctx, done, cmd.OutOrStdout(), get, live.Watched{Kind: kind, Name: args[0], Scope: *scope})
		})
	}
	return watch
}

// watching runs a command that prints lines until it is interrupted, which is not an error.
func (a *app) watching(cmd *cobra.Command, work func(ctx context.Context, done func()) error) error {
	if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
		return arguments.Usagef("watch prints text, or JSON lines with -o json")
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	err := work(graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line"), done)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // an interrupt
	}
	return err
}

// follow prints changes of a node.
func (a *app) follow(ctx context.Context, done func(), w io.Writer, get tools.Operation, target live.Watched) error {
	arguments, err := json.Marshal(map[string]string{"name": target.Name, "scope": target.Scope})
	if err != nil {
		return err
	}
	// Report a misspelled name immediately with similar names, instead of waiting for it.
	if _, _, err := a.run(ctx, get, arguments); err != nil {
		return err
	}
	done()
	story := watchedState{target: target}
	notify := func(now live.Observation) error {
		line, err := story.line(now, a.form.Name == "json")
		if err != nil {
			return err
		}
		return output.Write(w, line+"\n")
	}
	if a.remote != nil {
		return a.followRemotely(ctx, get, arguments, target, notify)
	}
	changes, cancel := a.open(false).Live.Subscribe(target)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-changes:
			if err := notify(now); err != nil {
				return err
			}
		}
	}
}

// followRemotely reads the node again whenever the server reports a change of its kind, and prints what is new.
func (a *app) followRemotely(ctx context.Context, get tools.Operation, arguments json.RawMessage, target live.Watched,
	notify func(live.Observation) error) error {
	filter := events.Filter{Types: []string{target.Kind + ".changed"}, Name: target.Name}
	if target.Scope != "" { // several variants share a name
		filter.Name = ""
	}
	var shown *live.Observation
	again := func(now live.Observation) error {
		if now.At = time.Now().UTC(); ctx.Err() != nil || shown != nil && shown.Same(now) {
			return nil //nolint:nilerr // an interrupt is not an error
		}
		shown = &now
		return notify(now)
	}
	read := func() error {
		answer, _, err := a.run(ctx, get, arguments)
		node, _ := answer.(policies.Node)
		return again(live.Observation{Node: node, Err: err, Away: apperr.Is(err, apperr.Unavailable)})
	}
	return a.remote.Follow(ctx, client.Events{Query: parametersOf(filter), OnOpen: read,
		OnEvent:      func(*events.Event) error { return read() },
		OnDisconnect: func(err error) { _ = again(live.Observation{Err: err, Away: true}) }})
}

// watchedState is what was printed about a node so far.
type watchedState struct {
	target live.Watched
	state  string // as last printed; "" before the first line
}

func (s *watchedState) line(now live.Observation, asJSON bool) (string, error) {
	if !asJSON {
		return s.text(now), nil
	}
	event := struct {
		At    time.Time      `json:"at"`
		Kind  string         `json:"kind"`
		Name  string         `json:"name"`
		Scope string         `json:"scope,omitempty"`
		Node  *policies.Node `json:"node,omitempty"`
		Error *apperr.Error  `json:"error,omitempty"`
	}{At: now.At, Kind: s.target.Kind, Name: s.target.Name, Scope: s.target.Scope, Error: apperr.From(now.Err)}
	if now.Err == nil {
		event.Node = &now.Node
	}
	text, err := render.JSON(event)
	return string(text), err
}

// text formats the time, the name and the state, with the previous state, or with the version if another property
// changed.
func (s *watchedState) text(now live.Observation) string {
	var state, also string
	switch {
	case now.Err == nil && s.target.Kind == policies.KindPolicy:
		state = "active=" + propertyText(now.Node, "active")
	case now.Err == nil:
		state = propertyText(now.Node, "value")
	case apperr.Is(now.Err, apperr.NotFound) && !now.Away:
		state = "(gone)"
	default:
		state = "(" + apperr.From(now.Err).Message + ")"
	}
	line := now.At.Format(time.RFC3339) + " " + word(s.target.Name) + " "
	if s.state != "" && s.state != state {
		line += s.state + " -> "
	}
	if s.state == state && now.Err == nil {
		also = "; version " + now.Node.Reading.Version
	}
	s.state = state
	return line + state + also
}

func propertyText(node policies.Node, name string) string {
	return word(output.Cell(graph.JSON(node.Properties[name])))
}

// word quotes a text with spaces or invisible characters.
func word(text string) string {
	if text != "" && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}) {
		return strconv.Quote(text)
	}
	return text
}

// feed is a command that prints events: how it is called, which events it prints, the flags that filter them, and how
// an event is written on a line.
type feed struct {
	use          string
	types, flags []string
	shown        func(page terminal.Page, e *events.Event) (about any, line []string)
}

var feeds = []feed{
	{"verdicts", []string{events.VerdictGiven}, []string{"rule", "by", "project", "denied"},
		func(page terminal.Page, e *events.Event) (any, []string) {
			v := e.Verdict
			return v, []string{v.At.Format(time.RFC3339), page.ColorWord(v.Answer()), v.VerdictID,
				terminal.Line(v.Description), "by " + v.AgentID, output.Cell(v.Rules)}
		}},
	{"decisions", []string{events.DecisionRecorded}, []string{"category", "stakes", "by", "project"},
		func(_ terminal.Page, e *events.Event) (any, []string) {
			d := e.Decision
			return d, []string{d.Date.Format(time.RFC3339), d.ID, terminal.Line(d.Title), d.Category, d.Stakes +
				" stakes", "by " + d.AgentID}
		}},
	{"approvals", []string{events.ApprovalAsked, events.ApprovalAnswered}, []string{"action", "session"},
		func(page terminal.Page, e *events.Event) (any, []string) {
			p := e.Approval
			line := []string{e.At.Format(time.RFC3339), page.ColorWord(p.State), p.ApprovalID, p.AgentID,
				terminal.Line(p.Action), terminal.Line(p.Project), terminal.Line(p.Params), terminal.Line(p.Why)}
			if len(p.Hidden) > 0 {
				line = append(line, "hidden: "+terminal.Line(strings.Join(p.Hidden, ", ")))
			}
			if e.Type == events.ApprovalAnswered {
				line = append(line, "by "+p.AnsweredBy, terminal.Line(p.Reason))
			}
			return p, line
		}},
	{"session [SESSION_ID]", []string{"session"}, []string{"by"}, func(_ terminal.Page, e *events.Event) (any, []string) {
		s := e.Session
		text, _ := render.JSON(s.Payload) // what cannot be encoded is left out
		return s, []string{s.At.Format(time.RFC3339), s.SessionID, strconv.FormatInt(s.Seq, 10), s.Type, "by " +
			s.AgentID, terminal.Line(string(text))}
	}},
}

// watchEvents returns the command of a feed.
func (a *app) watchEvents(f feed) *cobra.Command {
	filter, denied, allowed := &events.Filter{Types: f.types}, false, false
	watch := command(f.use, cobra.NoArgs, func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			filter.Session = args[0]
		}
		if denied {
			filter.Allowed = &allowed
		}
		return a.watching(cmd, func(ctx context.Context, done func()) error {
			return a.followEvents(ctx, done, cmd, *filter, f.shown)
		})
	})
	if strings.HasSuffix(f.use, "]") {
		watch.Args = cobra.MaximumNArgs(1)
	}
	texts := map[string]*string{"rule": &filter.Rule, "by": &filter.AgentID, "project": &filter.Project,
		"category": &filter.Category, "action": &filter.Name, "session": &filter.Session}
	for _, name := range f.flags {
		switch name {
		case "denied":
			watch.Flags().BoolVar(&denied, name, false, "only denials")
		case "stakes":
			watch.Flags().StringSliceVar(&filter.Stakes, name, nil, "filter by stakes: low, medium, high, critical")
		default:
			of := map[string]string{"rule": "violated rule", "by": "agent"}[name]
			watch.Flags().StringVar(texts[name], name, "", "filter by "+cmp.Or(of, name))
		}
	}
	return watch
}

// followEvents prints each event that passes the filter, as JSON or on one line.
func (a *app) followEvents(ctx context.Context, done func(), cmd *cobra.Command, filter events.Filter,
	shown func(terminal.Page, *events.Event) (about any, line []string)) error {
	w := cmd.OutOrStdout()
	notify := func(e *events.Event) error {
		page := a.form.Page(w)
		about, line := shown(page, e)
		if a.form.Name != "json" {
			line = slices.DeleteFunc(line, func(part string) bool { return part == "" })
			return output.Write(w, page.Finish(strings.Join(line, "  "))+"\n")
		}
		text, err := render.JSON(about)
		if err != nil {
			return err
		}
		return output.Write(w, string(text)+"\n")
	}
	if a.remote != nil {
		return a.remote.Follow(ctx, client.Events{Query: parametersOf(filter), OnEvent: notify,
			OnDisconnect: func(err error) {
				fmt.Fprintln(cmd.ErrOrStderr(), "waiting: "+render.EscapeControl(err.Error()))
			},
			OnOpen: func() error { done(); return nil }})
	}
	types, err := filter.ChosenTypes()
	if err != nil {
		return err
	}
	query, stream := events.Query{Filter: filter, Types: types}, a.open(false).Feed
	for {
		subscription, err := stream.Subscribe(ctx, query)
		if err != nil {
			return err
		}
		done()
		position := subscription.Position()
		for err == nil {
			e, behind, failed := subscription.Next(ctx)
			if err = failed; err == nil {
				position, err = behind, notify(e)
			}
		}
		subscription.Close()
		if !errors.Is(err, events.ErrSlow) {
			return err
		}
		after, err := events.ParsePosition(position) // the reader of our output is slow; repeat what it has not read
		if err != nil {
			return fmt.Errorf("the position %s: %w", position, err)
		}
		query.After = &after
	}
}

// parametersOf returns the query parameters of a server's event stream.
func parametersOf(f events.Filter) url.Values {
	q := url.Values{"type": f.Types, "stakes": f.Stakes}
	for name, value := range map[string]string{"name": f.Name, "rule": f.Rule, "project": f.Project,
		"agent_id": f.AgentID, "category": f.Category, "outcome": f.Outcome, "session_id": f.Session} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.Allowed != nil {
		q.Set("allowed", strconv.FormatBool(*f.Allowed))
	}
	return q
}
