package tokens

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/timeparse"
	"nomograph/internal/uid"
)

// Query selects tokens.
type Query struct {
	All bool `json:"all,omitempty" jsonschema:"include revoked and expired tokens"`
}

// Tokens lists tokens by name.
func (s *Store) Tokens(ctx context.Context, q Query) (List, error) {
	rows, err := graph.All[struct {
		Token    map[string]any
		InForce  bool
		LastUsed string
	}](ctx, s.graph, cypher.TokensList, graph.Params{"all": q.All})
	if err != nil {
		return List{}, err
	}
	list := List{Tokens: make([]Token, len(rows)), Total: len(rows)}
	for i, row := range rows {
		list.Tokens[i] = tokenOf(row.Token)
		list.Tokens[i].InForce, list.Tokens[i].LastUsed = row.InForce, row.LastUsed
	}
	return list, nil
}

// RotateRequest asks for a new secret for a name.
type RotateRequest struct {
	Name    string `json:"name" jsonschema:"token name" rule:"minLength=1,maxLength=200"`
	Overlap string `json:"overlap,omitempty" jsonschema:"grace period of the old secret (default 24h; 0s ends it immediately)" rule:"maxLength=20"`
	Expires string `json:"expires,omitempty" jsonschema:"lifetime of the new token (default that of the old one)" rule:"maxLength=20"`
	By      string `json:"-"`
}

// Rotated is the new token, with the rights of the old one.
type Rotated struct {
	Token        string    `json:"token" jsonschema:"secret, shown only once"`
	Name         string    `json:"name"`
	UID          string    `json:"uid"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	OldExpiresAt time.Time `json:"old_expires_at" jsonschema:"expiry of the old secret"`
	Expiring     int       `json:"expiring" jsonschema:"number of secrets of this name that expire then"`
}

const overlap = 24 * time.Hour

// Rotate gives the token of a name a new secret and returns it; the old secret remains valid for a grace period. It
// returns not_found if the name has no active token.
func (s *Store) Rotate(ctx context.Context, r RotateRequest) (Rotated, error) {
	name, err := agentName(r.Name)
	if err != nil {
		return Rotated{}, err
	}
	seconds, err := parseDuration("expires", r.Expires)
	if err != nil {
		return Rotated{}, err
	}
	left := overlap
	if r.Overlap != "" {
		if left, err = timeparse.Duration(r.Overlap); err != nil || left < 0 {
			return Rotated{}, apperr.Newf(apperr.Validation, "`overlap` is not a duration: %q", r.Overlap).
				WithHint("Use 24h, 7d or 0s")
		}
	}
	secret := newSecret()
	done, err := graph.Append[struct {
		Token map[string]any
		Old   []struct {
			UID       string
			ExpiresAt time.Time `mapstructure:"expires_at"`
		}
	}](ctx, s.graph, cypher.TokenRotate, graph.Params{"key": caller.Key(name), "uid": uid.New(), "hash": Hash(secret),
		"hint": hint(secret), "by": r.By,
		"seconds": seconds, "overlap": int64(left / time.Second)})
	if err != nil {
		return Rotated{}, err
	}
	if done.Token == nil {
		return Rotated{}, noToken(name)
	}
	t := tokenOf(done.Token)
	out := Rotated{Token: secret, Name: t.Name, UID: t.UID, ExpiresAt: t.ExpiresAt, Expiring: len(done.Old)}
	for _, o := range done.Old {
		if o.ExpiresAt.After(out.OldExpiresAt) {
			out.OldExpiresAt = o.ExpiresAt
		}
	}
	return out, nil
}

func noToken(name string) error {
	return apperr.Newf(apperr.NotFound, "'%s' has no valid token", name).
		WithHint("List tokens with `list_tokens`, or create one with `create_token`")
}

// RevokeRequest names tokens to be revoked.
type RevokeRequest struct {
	Name   string `json:"name" jsonschema:"token name" rule:"minLength=1,maxLength=200"`
	UID    string `json:"uid,omitempty" jsonschema:"uid of one token" rule:"maxLength=100"`
	Reason string `json:"reason,omitempty" jsonschema:"reason, stored" rule:"maxLength=1000"`
	By     string `json:"-"`
}

// Revoked lists the revoked tokens.
type Revoked struct {
	Name      string    `json:"name"`
	Revoked   []string  `json:"revoked" jsonschema:"uids"`
	RevokedAt time.Time `json:"revoked_at"`
}

// Revoke revokes the tokens of a name: every server refuses them within two seconds. The record of their use remains.
// It returns not_found if none is active.
func (s *Store) Revoke(ctx context.Context, r RevokeRequest) (Revoked, error) {
	name, err := agentName(r.Name)
	if err != nil {
		return Revoked{}, err
	}
	out, err := graph.Append[Revoked](ctx, s.graph, cypher.TokenRevoke, graph.Params{"key": caller.Key(name),
		"uid": graph.NullIfEmpty(r.UID), "by": r.By, "reason": graph.NullIfEmpty(r.Reason)})
	if err != nil {
		return Revoked{}, err
	}
	if out.Name = name; len(out.Revoked) == 0 {
		return Revoked{}, noToken(name)
	}
	return out, nil
}
