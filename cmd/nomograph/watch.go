package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/tools"
)

func (a *app) watch() *cobra.Command {
	command := &cobra.Command{Use: "watch", Short: "Watch policies, thresholds, verdicts, decisions or sessions"}
	command.AddCommand(a.watchNode(policies.KindThreshold, "claim_promotion_confidence"), a.watchNode(policies.KindPolicy, "NoTemporalFacet"), a.watchVerdicts(), a.watchDecisions(), a.watchApprovals(), a.watchSession())
	return command
}

func (a *app) watchNode(kind, example string) *cobra.Command {
	operation, known := tools.Find(tools.Catalog, "get_"+kind)
	if !known {
		panic("no operation get_" + kind)
	}
	command := &cobra.Command{
		Use:   kind + " NAME",
		Short: "Watch a " + kind,
		Long: `Print the ` + kind + ` now, then a line per change by anyone, within two seconds.
Removal, return and an unavailable database are changes too. Runs until interrupted. With -o json each line is an object: at, kind,
name, and either node or error.`,
		Example:           "  nomograph watch " + kind + " " + example + "\n  nomograph watch " + kind + " " + example + " -o json",
		ValidArgsFunction: a.completeNames(operation),
		Args: func(cmd *cobra.Command, args []string) error {
			return arguments.Check(cmd, operation, args)
		},
	}
	scope := command.Flags().String("scope", "", a.about(operation, "scope", "watch"))
	command.RunE = func(cmd *cobra.Command, args []string) error {
		if len(a.form.Fields) > 0 || a.form.Name != "" && a.form.Name != "json" {
			return arguments.Usagef("watch prints lines for people, or with -o json an object a line")
		}
		return a.follow(cmd, operation, live.Watched{Kind: kind, Name: args[0], Scope: *scope})
	}
	return command
}

// follow prints until it is interrupted, which is its good end.
func (a *app) follow(cmd *cobra.Command, get tools.Operation, target live.Watched) error {
	ctx, done := output.Progress(cmd.Context(), a.quiet)
	defer done()
	ctx = graph.Operation(tools.WithCaller(ctx, a.agent()), "watch", "command line")
	arguments, err := json.Marshal(map[string]string{"name": target.Name, "scope": target.Scope})
	if err != nil {
		return err
	}
	// A name that was mistyped should be told of now, with those that come near, not waited for.
	if _, _, err := a.run(ctx, get, arguments); err != nil {
		return unlessInterrupted(ctx, err)
	}
	done()
	story := story{target: target}
	tell := func(now live.Observation) error {
		line, err := story.line(now, a.form.Name == "json")
		if err != nil {
			return err
		}
		return output.Write(cmd.OutOrStdout(), line+"\n")
	}
	if a.remote != nil {
		return a.followRemotely(ctx, get, arguments, target, tell)
	}
	changes, cancel := live.NewWatcher(a.open(false).Live).Subscribe(target)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-changes:
			if err := tell(now); err != nil {
				return err
			}
		}
	}
}

// followRemotely reads the node again whenever a server tells that one of its kind changed, and tells what is new to a reader.
func (a *app) followRemotely(ctx context.Context, get tools.Operation, arguments json.RawMessage, target live.Watched, tell func(live.Observation) error) error {
	filter := events.Filter{Types: []string{target.Kind + ".changed"}, Name: target.Name}
	if target.Scope != "" { // a variant goes by several names
		filter.Name = ""
	}
	var told *live.Observation
	again := func(now live.Observation) error {
		if now.At = time.Now().UTC(); ctx.Err() != nil || told != nil && told.Same(now) {
			return nil //nolint:nilerr // the end that was asked for is no error
		}
		told = &now
		return tell(now)
	}
	read := func() error {
		answer, _, err := a.run(ctx, get, arguments)
		node, _ := answer.(policies.Node)
		return again(live.Observation{Node: node, Err: err, Away: apperr.Is(err, apperr.Unavailable)})
	}
	return a.remote.Follow(ctx, client.Events{Query: parametersOf(filter), Opened: read, Tell: func(*events.Event) error { return read() },
		Away: func(err error) { _ = again(live.Observation{Err: err, Away: true}) }})
}

func unlessInterrupted(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// story is what was told of a node so far, from which a line for people says what changed.
type story struct {
	target live.Watched
	state  string            // as it was told last; "" before the first line
	fields map[string]string // of the node as it was last seen
}

func (s *story) line(now live.Observation, asJSON bool) (string, error) {
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

// text is the time, the name, what stands there (after what stood there, where that differs), and what else changed.
func (s *story) text(now live.Observation) (string, error) {
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
		if s.state == state && also == "" { // a link, or 1 for 1.0
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

// fieldsOf are the node's properties as a line shows them, and where they came from.
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

// differences says which fields changed, apart from the main one, the version, and those that say which node it is.
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
		text += fmt.Sprintf("; %s %s -> %s", name, absent(before[name]), absent(now[name]))
	}
	return text
}

func absent(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// word quotes what would not be one, or would not be seen.
func word(text string) string {
	if text != "" && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return strconv.Quote(text)
	}
	return text
}
