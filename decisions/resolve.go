package decisions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// Ref identifies a decision that was found.
type Ref struct{ UID, ID, Decision string }

const (
	minPrefixLength = 4
	IDLength        = 8 // hex characters of a decision's id
)

// Resolve finds a decision by its 8-character id, an unambiguous prefix of at least 4 characters, its uid, its external
// id or a prefix of that. It returns not_found with similar ids, and a conflict that lists the candidates of an
// ambiguous id.
func (s *Store) Resolve(ctx context.Context, ref string) (Ref, error) {
	ref = strings.TrimSpace(strings.TrimPrefix(ref, URI("")))
	if ref == "" {
		return Ref{}, apperr.New(apperr.Validation, "The decision id is empty").
			WithHint("Use the 8 hex characters that `list_decisions` shows")
	}
	prefix, external := "", ""
	if len(ref) >= minPrefixLength {
		external = ref
	}
	if len(ref) >= minPrefixLength && len(ref) < IDLength {
		prefix = strings.ToLower(ref)
	}
	type match struct {
		UID, ID, Decision string
		Exact             bool
	}
	found, err := graph.All[match](ctx, s.graph, cypher.DecisionResolve, graph.Params{"ref": ref, "id": strings.ToLower(ref), "prefix": prefix,
		"external": external})
	if err != nil {
		return Ref{}, err
	}
	if slices.ContainsFunc(found, func(m match) bool { return m.Exact }) {
		found = slices.DeleteFunc(found, func(m match) bool { return !m.Exact })
	}
	switch len(found) {
	case 0:
		return Ref{}, s.NotFound(ctx, ref)
	case 1:
		return Ref{found[0].UID, found[0].ID, found[0].Decision}, nil
	}
	candidates, shown := make([]any, len(found)), make([]string, len(found))
	for i, r := range found {
		candidates[i] = map[string]any{"id": r.ID, "title": render.Title(r.Decision)}
		shown[i] = fmt.Sprintf("%s (%s)", r.ID, render.Title(r.Decision))
	}
	return Ref{}, apperr.Newf(apperr.Conflict, "'%s' matches %d decisions", ref, len(found)).
		WithHint("Use more of the id: %s", strings.Join(shown, ", ")).With("decisions", candidates)
}

const maxIDsRead = 2000 // maximum number of ids, so that an unknown id costs the same in a large graph

// NotFound returns the not_found error of a decision with similar ids.
func (s *Store) NotFound(ctx context.Context, ref string) error {
	err := apperr.Newf(apperr.NotFound, "Decision '%s' not found", ref)
	ids, lookupErr := graph.All[struct{ ID string }](ctx, s.graph, cypher.DecisionIDsWithPrefix,
		graph.Params{"start": strings.ToLower(render.Cut(ref, 2)), "external": render.Cut(ref, 3), "limit": maxIDsRead})
	names := make([]string, len(ids))
	for i := range ids {
		names[i] = ids[i].ID
	}
	near := apperr.Nearest(ref, names)
	switch {
	case len(ref) < minPrefixLength:
		return err.WithHint("Give at least %d characters of the id", minPrefixLength)
	case lookupErr != nil || len(near) == 0:
		return err.WithHint("List decisions with `list_decisions`, or search them with `query_decisions`")
	}
	return err.WithHint("Did you mean %s?", strings.Join(near, ", ")).With("nearest", near)
}

// Repeated returns what was recorded under a request key.
func (s *Store) Repeated(ctx context.Context, d *Draft) (Recorded, bool, error) {
	found, err := graph.All[struct{ Decision map[string]any }](ctx, s.graph, cypher.DecisionOfRequest,
		graph.Params{"agent": NameKey(d.Agent), "key": d.requestKey()})
	if err != nil || len(found) == 0 {
		return Recorded{}, false, err
	}
	before := SummaryOf(found[0].Decision)
	if found[0].Decision["request_hash"] != d.requestHash() {
		return Recorded{}, false, apperr.Newf(apperr.Conflict,
			"The request key was already used for another decision, %s", before.ID).
			WithHint("Use a new key for each decision").With("decision_id", before.ID)
	}
	return Recorded{Success: true, Allowed: true, ID: before.ID, URI: before.URI, Title: before.Title,
		Timestamp: before.Date, Indexed: "done", Repeated: true,
		Notes: []string{"It was recorded before under the same request_key; nothing was written"}}, true, nil
}

// requestHash distinguishes a retry from another decision with the same key, also after an update of the decision.
func (d *Draft) requestHash() string {
	stated := d.stated // not the defaults, which may change until the retry
	stated.AgentID, stated.SessionID, stated.ForceReason, stated.RequestKey = "", "", "", ""
	encoded, err := json.Marshal(stated)
	if err != nil { // cannot happen: strings, numbers and lists
		panic(err)
	}
	return digest(encoded)
}

// requestKey is the stored form of a caller's key, which can contain anything.
func (d *Draft) requestKey() string { return digest([]byte(d.RequestKey)) }

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// URI is the address of a decision as an MCP resource.
func URI(id string) string { return "nomograph://decision/" + id }
