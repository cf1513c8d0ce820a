package history

import (
	"context"
	"fmt"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/pattern"
	"nomograph/internal/timeparse"
	"nomograph/policies"
)

// State is the content of a subject at some time.
type State struct {
	VersionContent
	Version string
	since   time.Time // start of this content, if known
	note    string
}

var hashStart = pattern.New(`^[0-9a-f]{6,64}$`)

// AsOf returns the content of the subject, or of its variant for a scope, at a time, in a version, or in a revision. It
// returns a validation_error for an invalid or future time, not_found before the history begins and after the node was
// removed, and a conflict for an ambiguous prefix of a hash.
func (s *Store) AsOf(ctx context.Context, of policies.Subject, scope, text string) (State, error) {
	if at, err := policies.ParseTime("as_of", text); err == nil && at != nil {
		return s.asOfTime(ctx, of, scope, at.(time.Time))
	}
	if !hashStart.MatchString(text) {
		return State{}, apperr.Newf(apperr.Validation, "'%s' is neither a time nor a hash", text).
			WithHint("Use %s; or at least 6 characters of a version's or revision's hash", timeparse.Forms)
	}
	shown, err := s.maySee(ctx, of)
	if err != nil {
		return State{}, err
	}
	found, err := graph.All[struct {
		Version, Said string
		At            time.Time
	}](ctx, s.graph, cypher.ContentOfVersion, graph.Params{"label": of.Label(),
		"names": policies.NamesFor(of.Name, scope), "prefix": text})
	switch {
	case err != nil:
		return State{}, err
	case len(found) == 0 || !shown:
		return State{}, apperr.Newf(apperr.NotFound, "%s node '%s' has no version or revision that starts with %s",
			of.Label(), of.Name, text).
			WithHint("List its versions with `get_history`")
	case len(found) > 1:
		versions := make([]string, len(found))
		for i, row := range found {
			versions[i] = row.Version
		}
		return State{}, apperr.Newf(apperr.Conflict, "%d versions of '%s' start with %s", len(found), of.Name, text).
			WithHint("Use more of the hash").With("versions", versions)
	}
	then, err := contentOf(found[0].Said)
	return State{VersionContent: then, Version: found[0].Version, since: found[0].At.UTC()}, err
}

func (s *Store) asOfTime(ctx context.Context, of policies.Subject, scope string, at time.Time) (State, error) {
	if at.After(time.Now().Add(time.Minute)) { // tolerates clock differences
		return State{}, apperr.Newf(apperr.Validation, "%s is in the future", at.Format(time.RFC3339)).
			WithHint("Leave the time out to read the current state")
	}
	if shown, err := s.maySee(ctx, of); err != nil {
		return State{}, err
	} else if !shown {
		return State{}, s.notFound(ctx, of)
	}
	candidate := func(name string, scope any) any { return map[string]any{"name": name, "scope": scope} }
	candidates := []any{candidate(of.Name, ""), candidate(of.Name, nil)}
	if scope != "" {
		candidates = []any{candidate(of.Name+"_"+scope, scope), candidate(of.Name, scope), candidates[0]}
	}
	found, err := graph.All[struct {
		Version, Said, NextKind string
		At, NextAt, NextSince   *time.Time
	}](ctx, s.graph, cypher.ContentAt, graph.Params{"label": of.Label(), "candidates": candidates, "at": at})
	if err != nil {
		return State{}, err
	}
	if len(found) == 0 {
		return State{}, s.notFound(ctx, of)
	}
	row := found[0]
	switch {
	case row.At == nil:
		return State{}, apperr.Newf(apperr.NotFound, "%s node '%s' has no version as of %s", of.Label(), of.Name,
			at.Format(time.RFC3339)).
			WithHint("Use a later time: its recorded history starts at %s", row.NextAt.UTC().Format(time.RFC3339)).
			With("begins_at", row.NextAt.UTC())
	case row.Version == "":
		return State{}, apperr.Newf(apperr.NotFound, "%s node '%s' did not exist at %s", of.Label(), of.Name,
			at.Format(time.RFC3339)).
			WithHint("Use an earlier time: it was removed at %s", row.At.UTC().Format(time.RFC3339))
	}
	then, err := contentOf(row.Said)
	answer := State{VersionContent: then, Version: row.Version, since: row.At.UTC()}
	if row.NextKind == Observed.Kind && (row.NextSince == nil || row.NextSince.Before(at)) {
		answer.note = fmt.Sprintf("it was edited manually at some time before %s, possibly before %s",
			row.NextAt.UTC().Format(time.RFC3339), at.Format(time.RFC3339))
	}
	return answer, err
}

// asOfNow returns the current content.
func (s *Store) asOfNow(ctx context.Context, of policies.Subject) (State, error) {
	if of.Kind == policies.KindTable {
		ids, err := policies.TableIDs(ctx, s.graph, of.Name)
		if err != nil {
			return State{}, err
		}
		of.Name = ids.([]string)[0]
	}
	found, err := graph.All[Content](ctx, s.graph, cypher.ContentNow,
		graph.Params{"label": of.Label(), "name": of.Name})
	switch {
	case err != nil:
		return State{}, err
	case len(found) == 0:
		return State{}, apperr.Newf(apperr.NotFound, "%s node '%s' not found", of.Label(), of.Name).
			WithHint("If it was removed, pass the time or version to compare with")
	case len(found) > 1:
		return State{}, apperr.Newf(apperr.Conflict, "Several %s nodes are called '%s'", of.Label(), of.Name).
			WithHint("List duplicate names with `run_doctor`")
	}
	then, err := found[0].Past()
	return State{VersionContent: then, Version: found[0].Version()}, err
}

// Node converts a state to a reading.
func (s State) Node(scope string) policies.Node {
	properties := map[string]any{}
	for key, value := range s.Properties {
		properties[key] = PlainValue(value)
	}
	since := s.since
	return policies.Node{Properties: properties,
		Reading: policies.Reading{Source: "version", Scope: scope, Version: s.Version, Since: &since, Note: s.note}}
}
