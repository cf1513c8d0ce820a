package ofrep

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/server"
	"nomograph/tools"
)

// bulk is the response with all flags, including those that could not be evaluated.
type bulk struct {
	Flags        []any          `json:"flags"`
	Metadata     map[string]any `json:"metadata"`
	EventStreams []stream       `json:"eventStreams,omitempty"`
}

type stream struct {
	Type     string   `json:"type"`
	Endpoint endpoint `json:"endpoint"`
}

type endpoint struct {
	RequestURI string `json:"requestUri"`
}

// evaluateAll evaluates all flags. The ETag is a hash of the response, so a polling client without changes gets no
// body.
func (d *Server) evaluateAll(w http.ResponseWriter, r *http.Request) {
	scope, f := scopeOf(r)
	if f != nil {
		server.Answer(w, f.status, f)
		return
	}
	flags, err := d.flags(r.Context(), scope)
	if err != nil {
		failed("", err).answer(w, r, err)
		return
	}
	text, err := render.JSON(flags)
	if err != nil {
		failed("", err).answer(w, r, err)
		return
	}
	sum := sha256.Sum256(text)
	version := hex.EncodeToString(sum[:])
	server.Tag(w, version)
	if server.Has(r, version) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	answer := bulk{Flags: flags, Metadata: map[string]any{"version": version}}
	if d.options.Events != "" {
		answer.EventStreams = []stream{{"sse", endpoint{d.options.Events}}}
	}
	server.Answer(w, http.StatusOK, answer)
}

func (d *Server) flags(ctx context.Context, scope string) ([]any, error) {
	flags := []any{}
	thresholds, err := pages(ctx, d.runner, d.thresholds,
		func(l live.ThresholdList) ([]live.ThresholdRow, string) { return l.Thresholds, l.NextCursor })
	if err != nil {
		return nil, err
	}
	var stored []policies.Stored
	for _, t := range thresholds {
		stored = append(stored, policies.Stored{Properties: map[string]any{"name": t.Name, "value": t.Value,
			"scope": t.Scope, "unit": t.Unit, "decision_table": t.DecisionTable}})
	}
	flags = append(flags, pickOne("SYS_Threshold", scope, stored,
		func(name, scope string, node policies.Stored) (flag, *failure) {
			return thresholdFlag(name, node.Properties["value"], scope, flagMetadata(node))
		}, "")...)
	found, err := pages(ctx, d.runner, d.policies,
		func(l live.PolicyList) ([]live.PolicyRow, string) { return l.Policies, l.NextCursor })
	if err != nil {
		return nil, err
	}
	stored = nil
	for _, p := range found {
		stored = append(stored, policies.Stored{Properties: map[string]any{"name": p.Name, "active": p.Active,
			"decision_table": p.DecisionTable, "effect": p.Reading.Effect}})
	}
	return append(flags, pickOne("SYS_Policy", "", stored,
		func(name, scope string, node policies.Stored) (flag, *failure) {
			return policyFlag(name, node.Properties["active"], scope, flagMetadata(node)), nil
		}, ofPolicy)...), nil
}

func flagMetadata(node policies.Stored) map[string]any {
	about := map[string]any{}
	for _, name := range []string{"unit", "decision_table", "effect"} {
		if text, ok := node.Properties[name].(string); ok && text != "" {
			about[name] = text
		}
	}
	return about
}

// pickOne returns one flag per name. If several nodes have a name, it uses the one that applies to the scope.
func pickOne(label, scope string, stored []policies.Stored,
	of func(key, scope string, node policies.Stored) (flag, *failure), before string) (flags []any) {
	named, names := map[string][]policies.Stored{}, []string{}
	for _, s := range stored {
		name, ok := s.Properties["name"].(string)
		if !ok {
			continue // such a key cannot be requested
		}
		if named[name] == nil {
			names = append(names, name)
		}
		named[name] = append(named[name], s)
	}
	for _, name := range names {
		var found []policies.Stored
		for _, variant := range policies.NamesFor(name, scope) {
			found = append(found, named[variant]...)
		}
		node, source, err := policies.Pick(label, name, scope, found)
		switch {
		case err != nil:
			flags = append(flags, failed(before+name, err))
			continue
		case node == nil:
			continue // the flag belongs to another scope
		}
		asked := scope
		if source != "scoped" {
			asked = ""
		}
		if f, fails := of(before+name, asked, *node); fails != nil {
			flags = append(flags, *fails)
		} else {
			flags = append(flags, f)
		}
	}
	return flags
}

// Limits of a bulk response: clients store all flags, and a graph may contain too many.
const (
	pageSize = 500
	maxPages = 10
)

// pages reads all pages of a list.
func pages[List, Row any](ctx context.Context, runner tools.Runner, o tools.Operation,
	of func(List) ([]Row, string)) ([]Row, error) {
	var rows []Row
	cursor := ""
	for range maxPages {
		list, err := server.Run[List](ctx, runner, o, map[string]any{"limit": pageSize, "cursor": cursor})
		if err != nil {
			return nil, err
		}
		page, next := of(list)
		rows = append(rows, page...)
		if next == "" {
			return rows, nil
		}
		cursor = next
	}
	return nil, apperr.Newf(apperr.Validation, "More than %d nodes are too many for a bulk evaluation",
		pageSize*maxPages).
		WithHint("Evaluate flags one by one, as server-side providers do")
}
