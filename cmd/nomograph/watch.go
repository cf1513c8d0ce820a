package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	command := &cobra.Command{Use: "watch"}
	command.AddCommand(a.watchNode(policies.KindThreshold, "claim_promotion_confidence"),
		a.watchNode(policies.KindPolicy, "NoTemporalFacet"), a.watchVerdicts(), a.watchDecisions(), a.watchApprovals(),
		a.watchSession())
	return command
}

func (a *app) watchNode(kind, example string) *cobra.Command {
	operation, ok := tools.Find(tools.Catalog, "get_"+kind)
	if !ok {
		panic("no operation get_" + kind)
	}
	command := &cobra.Command{
		Use:   kind + " NAME",
		Short: "Watch a " + kind,
		Long: `Print the ` + kind + ` now, then a line per change by anyone, within two seconds.
Removal, re-creation and an unavailable database also count as changes. Runs until interrupted. With -o json each line is an object: at, kind,
name, and either node or error.`,
		Example: "  nomograph watch " + kind + " " + example + "\n  nomograph watch " + kind + " " + example +
			" -o json",
		ValidArgsFunction: a.completeNames(operation),
		Args: func(cmd *cobra.Command, args []string) error {
			return arguments.Check(cmd, operation, args)
		},
	}
	scope := command.Flags().String("scope", "", a.flagHelp(operation, "scope", "watch"))
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
			return arguments.Usagef("watch prints text, or JSON lines with -o json")
		}
		return a.follow(cmd, operation, live.Watched{Kind: kind, Name: args[0], Scope: *scope})
	}
	return command
}

// follow prints changes until it is interrupted, which is not an error.
func (a *app) follow(cmd *cobra.Command, get tools.Operation, target live.Watched) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
	arguments, err := json.Marshal(map[string]string{"name": target.Name, "scope": target.Scope})
	if err != nil {
		return err
	}
	// Report a misspelled name immediately with similar names, instead of waiting for it.
	if _, _, err := a.run(ctx, get, arguments); err != nil {
		return ignoreInterrupt(ctx, err)
	}
	done()
	story := watchedState{target: target}
	notify := func(now live.Observation) error {
		line, err := story.line(now, a.form.Name == "json")
		if err != nil {
			return err
		}
		return output.Write(cmd.OutOrStdout(), line+"\n")
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

func ignoreInterrupt(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// watchedState is what was printed about a node so far, to determine what changed.
type watchedState struct {
	target live.Watched
	state  string            // as last printed; "" before the first line
	fields map[string]string // fields of the node as last seen
}

func (s *watchedState) line(now live.Observation, asJSON bool) (string, error) {
	if !asJSON {
		return s.text(now)
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

// text formats the time, the name, the state (with the previous state if it differs), and other changes.
func (s *watchedState) text(now live.Observation) (string, error) {
	var state, also string
	switch {
	case now.Err == nil:
		fields, err := fieldsOf(now.Node)
		if err != nil {
			return "", err
		}
		main := map[string]string{policies.KindThreshold: "value", policies.KindPolicy: "active"}[s.target.Kind]
		if state = fields[main]; s.target.Kind == policies.KindPolicy {
			state = "active=" + state
		}
		also = differences(s.fields, fields, main)
		if s.state == state && also == "" { // only a link changed, or 1 became 1.0
			also = "; version " + fields["version"]
		}
		s.fields = fields
	case apperr.Is(now.Err, apperr.NotFound) && !now.Away:
		state = "(gone)"
	default:
		state = "(" + apperr.From(now.Err).Message + ")"
	}
	line := now.At.Format(time.RFC3339) + " " + word(s.target.Name) + " "
	if s.state != "" && s.state != state {
		line += s.state + " -> "
	}
	s.state = state
	return line + state + also, nil
}

// fieldsOf returns the node's properties as shown on a line, and their source.
func fieldsOf(node policies.Node) (map[string]string, error) {
	cells, err := output.Cells(node)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{"value": "-", "active": "-"}
	for name, text := range cells {
		if name != "reading" {
			fields[name] = word(text)
		}
	}
	fields["scope"], fields["version"] = word(node.Reading.Scope), node.Reading.Version
	return fields, nil
}

// differences lists the changed fields, except the main one, the version and identifiers.
func differences(before, now map[string]string, main string) string {
	if before == nil {
		return ""
	}
	all := maps.Clone(before)
	maps.Copy(all, now)
	text := ""
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] == now[name] || slices.Contains([]string{main, "version", "uid", "schema_version"}, name) {
			continue
		}
		text += fmt.Sprintf("; %s %s -> %s", name, missingText(before[name]), missingText(now[name]))
	}
	return text
}

func missingText(text string) string {
	if text == "" {
		return "-"
	}
	return text
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

// feed is a command that prints events: how it is called, which events it prints, and how an event is written on a
// line.
type feed struct {
	use, short, item, example string
	types                     []string
	shown                     func(page terminal.Page, e *events.Event) (about any, line []string)
}

var (
	verdictFeed = feed{"verdicts", "Watch verdicts", "verdict",
		"  nomograph watch verdicts --denied\n  nomograph watch verdicts --rule no-high-stakes-low-confidence -o json",
		[]string{events.VerdictGiven}, func(page terminal.Page, e *events.Event) (any, []string) {
			v := e.Verdict
			return v, []string{v.At.Format(time.RFC3339), page.ColorWord(v.Answer()), v.VerdictID,
				terminal.Line(v.Description), "by " + v.AgentID, output.Cell(v.Rules)}
		}}
	decisionFeed = feed{"decisions", "Watch decisions", "decision",
		"  nomograph watch decisions --project acme/shop\n  nomograph watch decisions --category security -o json",
		[]string{events.DecisionRecorded}, func(_ terminal.Page, e *events.Event) (any, []string) {
			d := e.Decision
			return d, []string{d.Date.Format(time.RFC3339), d.ID, terminal.Line(d.Title), d.Category, d.Stakes +
				" stakes", "by " + d.AgentID}
		}}
	approvalFeed = feed{"approvals", "Watch approval requests and answers", "approval request and answer",
		"  nomograph watch approvals\n  nomograph watch approvals --action refund.pay -o json",
		[]string{events.ApprovalAsked, events.ApprovalAnswered},
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
		}}
	sessionFeed = feed{"session [SESSION_ID]", "Watch session events: contexts, reported actions, thoughts",
		"session event", "  nomograph watch session invoices-42\n  nomograph watch session --by claude-code -o json",
		[]string{"session"}, func(_ terminal.Page, e *events.Event) (any, []string) {
			s := e.Session
			text, _ := render.JSON(s.Payload) // what cannot be encoded is left out
			return s, []string{s.At.Format(time.RFC3339), s.SessionID, strconv.FormatInt(s.Seq, 10), s.Type, "by " +
				s.AgentID, terminal.Line(string(text))}
		}}
)

// watchEvents returns the command of a feed. The caller adds flags that set the filter.
func (a *app) watchEvents(f feed) (*cobra.Command, *events.Filter) {
	filter := &events.Filter{Types: f.types}
	command := &cobra.Command{Use: f.use, Short: f.short, Args: cobra.NoArgs, Example: f.example,
		Long: "Print each new " + f.item + ` within two seconds, exactly once. Waits while the database is unavailable. Runs until interrupted.
With -o json each line is an object.`}
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			filter.Session = args[0]
		}
		return a.followEvents(cmd, *filter, f.shown)
	}
	return command, filter
}

func (a *app) watchVerdicts() *cobra.Command {
	command, filter := a.watchEvents(verdictFeed)
	flags := command.Flags()
	flags.StringVar(&filter.Rule, "rule", "", "filter by violated rule")
	flags.StringVar(&filter.AgentID, "by", "", "filter by agent")
	flags.StringVar(&filter.Project, "project", "", "filter by project")
	denied := flags.Bool("denied", false, "only denials")
	command.PreRun = func(*cobra.Command, []string) {
		if allowed := false; *denied {
			filter.Allowed = &allowed
		}
	}
	return command
}

func (a *app) watchDecisions() *cobra.Command {
	command, filter := a.watchEvents(decisionFeed)
	flags := command.Flags()
	flags.StringVar(&filter.Category, "category", "", "filter by category")
	flags.StringSliceVar(&filter.Stakes, "stakes", nil, "filter by stakes: low, medium, high, critical")
	flags.StringVar(&filter.AgentID, "by", "", "filter by agent")
	flags.StringVar(&filter.Project, "project", "", "filter by project")
	return command
}

func (a *app) watchApprovals() *cobra.Command {
	command, filter := a.watchEvents(approvalFeed)
	command.Flags().StringVar(&filter.Name, "action", "", "filter by action")
	command.Flags().StringVar(&filter.Session, "session", "", "filter by session")
	return command
}

func (a *app) watchSession() *cobra.Command {
	command, filter := a.watchEvents(sessionFeed)
	command.Args = cobra.MaximumNArgs(1)
	command.Flags().StringVar(&filter.AgentID, "by", "", "filter by agent")
	return command
}

// followEvents prints each event that passes the filter, as JSON or on one line, until it is interrupted.
func (a *app) followEvents(cmd *cobra.Command, filter events.Filter,
	shown func(terminal.Page, *events.Event) (about any, line []string)) error {
	if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
		return arguments.Usagef("watch prints text, or JSON lines with -o json")
	}
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
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
			OnDisconnect: func(err error) { a.reportWaiting(cmd, err) },
			OnOpen:       func() error { done(); return nil }})
	}
	types, err := filter.ChosenTypes()
	if err != nil {
		return err
	}
	query, f := events.Query{Filter: filter, Types: types}, a.open(false).Feed
	for {
		subscription, err := f.Subscribe(ctx, query)
		if err != nil {
			return ignoreInterrupt(ctx, err)
		}
		done()
		position, err := forEachEvent(ctx, subscription, notify)
		subscription.Close()
		if !errors.Is(err, events.ErrSlow) {
			return ignoreInterrupt(ctx, err)
		}
		if query.After, err = positionOf(position); err != nil { // the reader of our output is slow; repeat what it has not read
			return err
		}
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

// reportWaiting reports that a server is unreachable and that the command waits.
func (a *app) reportWaiting(cmd *cobra.Command, err error) {
	fmt.Fprintln(cmd.ErrOrStderr(), "waiting: "+render.EscapeControl(err.Error()))
}

// forEachEvent passes events to notify until the subscription ends. It returns the position after the last event.
func forEachEvent(ctx context.Context, s *events.Subscription, notify func(*events.Event) error) (position string,
	err error) {
	position = s.Position()
	for {
		e, behind, err := s.Next(ctx)
		if err == nil {
			position, err = behind, notify(e)
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
