package tokens

import (
	"time"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
)

// Token describes a token without its secret.
type Token struct {
	Name           string    `json:"name" jsonschema:"name of the caller and agent of what it records"`
	UID            string    `json:"uid"`
	Hint           string    `json:"hint" jsonschema:"first characters of the secret"`
	InForce        bool      `json:"in_force"`
	Permissions    []string  `json:"permissions"`
	Projects       []string  `json:"projects,omitempty" jsonschema:"visible projects; absent if all are visible"`
	Databases      []string  `json:"databases,omitempty" jsonschema:"databases; absent for the server's database"`
	Rate           float64   `json:"rate,omitempty" jsonschema:"calls per second"`
	Budget         int64     `json:"budget,omitempty" jsonschema:"calls per day (UTC)"`
	CreatedAt      time.Time `json:"created_at"`
	CreatedBy      string    `json:"created_by"`
	LastUsed       string    `json:"last_used,omitempty" jsonschema:"day (UTC) of the last call under this name; absent without a call"`
	ExpiresAt      time.Time `json:"expires_at,omitzero"`
	RotatedFrom    string    `json:"rotated_from,omitempty" jsonschema:"uid of the replaced token"`
	RevokedAt      time.Time `json:"revoked_at,omitzero"`
	RevokedBy      string    `json:"revoked_by,omitempty"`
	RevokedBecause string    `json:"revoked_because,omitempty"`
}

// tokenOf decodes a node. If a property has an unexpected type or limit, the token grants nothing: a limit that cannot be
// read must not mean no limit.
func tokenOf(p map[string]any) Token {
	var t Token
	err := graph.Decode(p, &t)
	_, whole := p["budget"].(int64)
	if err != nil || p["rate"] != nil && !(t.Rate > 0) || p["budget"] != nil && !whole {
		t.Permissions, t.Projects = nil, []string{}
	}
	if t.Permissions == nil {
		t.Permissions = []string{}
	}
	return t
}

// caller returns the caller that a token authenticates.
func (t Token) caller(ended <-chan struct{}) caller.Caller {
	c := caller.Caller{Name: t.Name, Authenticated: true, Ended: ended, Databases: t.Databases}
	for _, p := range t.Permissions {
		c.Permissions = append(c.Permissions, caller.Permission(p))
	}
	if t.Projects != nil {
		c.Projects = lists.Map(t.Projects, caller.Key)
	}
	return c
}

// List is a list of tokens.
type List struct {
	Tokens []Token `json:"tokens"`
	Total  int     `json:"total"`
}
