package tokens

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/timeparse"
	"nomograph/internal/uid"
)

// CreateRequest describes a new token.
type CreateRequest struct {
	Name        string   `json:"name" jsonschema:"name of the caller, such as release-bot; becomes the agent of everything it records" rule:"minLength=1,maxLength=200"`
	Permissions []string `json:"permissions,omitempty" jsonschema:"permissions: read, decide, announce, federate, review, query, govern, admin (all) (default read)" rule:"maxItems=8"`
	Projects    []string `json:"projects,omitempty" jsonschema:"visible projects as owner/repo (default all)" rule:"maxItems=200"`
	Databases   []string `json:"databases,omitempty" jsonschema:"databases (default the server's database)" rule:"maxItems=50"`
	Expires     string   `json:"expires,omitempty" jsonschema:"lifetime, such as 90d or 12h (default unlimited)" rule:"maxLength=20"`
	Rate        float64  `json:"rate,omitempty" jsonschema:"calls per second over all servers (default unlimited)" rule:"minimum=0,maximum=100000"`
	Budget      int64    `json:"budget,omitempty" jsonschema:"calls per day (UTC) over all servers (default unlimited)" rule:"minimum=0"`
	By          string   `json:"-"` // creator of the token
}

// Created is a new token. Its secret is in no other answer and stored nowhere.
type Created struct {
	Token       string    `json:"token" jsonschema:"secret, shown only once"`
	Name        string    `json:"name"`
	UID         string    `json:"uid"`
	Permissions []string  `json:"permissions"`
	Projects    []string  `json:"projects,omitempty"`
	Databases   []string  `json:"databases,omitempty"`
	ExpiresAt   time.Time `json:"expires_at,omitzero"`
}

// Create creates a token. It returns a validation_error for an invalid name, right or time, and a conflict if the name
// has an active token, which Rotate replaces.
func (s *Store) Create(ctx context.Context, c CreateRequest) (Created, error) {
	name, err := agentName(c.Name)
	if err != nil {
		return Created{}, err
	}
	if problem := caller.NameProblem(name); problem != "" { // an existing token with this name can still be revoked
		return Created{}, apperr.Newf(apperr.Validation, "%q is not a valid caller name: %s", name, problem).
			WithHint("Choose a name such as release-bot")
	}
	for _, configured := range s.Configured {
		if caller.SameAgent(configured, name) {
			return Created{}, apperr.Newf(apperr.Conflict, "'%s' already has a token in this server's configuration",
				configured).WithHint("Choose another name, or remove that token from auth.tokens and auth.tokens_file first")
		}
	}
	permissions, err := permissionsOf(c.Permissions)
	if err != nil {
		return Created{}, err
	}
	seconds, err := parseDuration("expires", c.Expires)
	if err != nil {
		return Created{}, err
	}
	limits, err := c.limits()
	if err != nil {
		return Created{}, err
	}
	secret := newSecret()
	p := map[string]any{"uid": uid.New(), "schema_version": 1, "name": name, "hash": Hash(secret), "hint": hint(secret),
		"permissions": permissions, "created_by": c.By}
	maps.Copy(p, limits)
	var made struct{ CreatedAt, ExpiresAt time.Time }
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		names, err := graph.All[struct{ Name string }](ctx, tx, cypher.TokenNames, nil)
		if err != nil {
			return err
		}
		for _, existing := range names {
			if caller.SameAgent(existing.Name, name) {
				return apperr.Newf(apperr.Conflict, "'%s' already has a token", existing.Name).
					WithHint("Replace it with `rotate_token`, or end it with `revoke_token`")
			}
		}
		made, err = graph.One[struct{ CreatedAt, ExpiresAt time.Time }](ctx, tx, cypher.TokenCreate,
			graph.Params{"agent": map[string]any{"key": caller.Key(name), "name": name,
				"uid": uid.New()}, "properties": p, "seconds": seconds})
		return err
	})
	if err != nil {
		return Created{}, err
	}
	return Created{Token: secret, Name: name, UID: p["uid"].(string), Permissions: permissions,
		Projects: uniqueNames(c.Projects), Databases: uniqueNames(c.Databases), ExpiresAt: made.ExpiresAt}, nil
}

// limits returns the properties of a token that limit it.
func (c CreateRequest) limits() (map[string]any, error) {
	p := map[string]any{}
	for key, list := range map[string][]string{"projects": c.Projects, "databases": c.Databases} {
		if cleaned := uniqueNames(list); len(list) > 0 &&
			len(cleaned) == 0 { // a list of blanks must not mean no restriction
			return nil, apperr.Newf(apperr.Validation, "%s is empty", key).WithHint("Leave it out to set no limit")
		} else if len(cleaned) > 0 {
			p[key] = cleaned
		}
	}
	if c.Rate > 0 {
		p["rate"] = c.Rate
	}
	if c.Budget > 0 {
		p["budget"] = c.Budget
	}
	return p, nil
}

// agentName normalizes a name as for agents.
func agentName(text string) (string, error) {
	name := strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if masked, _ := redact.Text(name); name == "" || masked != name {
		return "", apperr.Newf(apperr.Validation, "%q is not a valid caller name", masked).
			WithHint("Choose a name such as release-bot")
	}
	return name, nil
}

// IsPermission reports whether p is a permission.
func IsPermission(p caller.Permission) bool { return slices.Contains(caller.Permissions, p) }

func permissionsOf(names []string) ([]string, error) {
	if len(names) == 0 {
		return []string{string(caller.Read)}, nil
	}
	all := lists.Map(caller.Permissions, func(p caller.Permission) string { return string(p) })
	for _, g := range names {
		if !slices.Contains(all, caller.Key(g)) {
			return nil, apperr.Newf(apperr.Validation, "Unknown permission %q", g).
				WithHint("Use %s", strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(all, func(p string) bool { // the others stay in canonical order
		return !slices.ContainsFunc(names, func(g string) bool { return caller.Key(g) == p })
	}), nil
}

// uniqueNames trims the names of a list and removes duplicates.
func uniqueNames(list []string) []string {
	var out []string
	for _, one := range list {
		if one = strings.TrimSpace(one); one != "" &&
			!slices.ContainsFunc(out, func(o string) bool { return caller.Key(o) == caller.Key(one) }) {
			out = append(out, one)
		}
	}
	return out
}

// parseDuration converts a duration such as 90d or 12h to seconds, nil for an empty text.
func parseDuration(argument, text string) (any, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	d, err := timeparse.Duration(text)
	if err != nil || d <= 0 || d > 100*365*24*time.Hour {
		return nil, apperr.Newf(apperr.Validation, "`%s` is not a duration: %q", argument, text).
			WithHint("Use 90d, 12h or 30m")
	}
	return int64(d / time.Second), nil
}
