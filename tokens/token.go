package tokens

import (
	"time"

	"nomograph/internal/caller"
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

// tokenOf decodes a node. A property with an unexpected type grants no right.
func tokenOf(p map[string]any) Token {
	text := func(name string) string { value, _ := p[name].(string); return value }
	moment := func(name string) time.Time {
		value, ok := p[name].(time.Time)
		if !ok {
			return time.Time{}
		}
		return value.UTC()
	}
	t := Token{Name: text("name"), UID: text("uid"), Hint: text("hint"), CreatedBy: text("created_by"),
		RotatedFrom: text("rotated_from"),
		RevokedBy:   text("revoked_by"), RevokedBecause: text("revoked_because"), CreatedAt: moment("created_at"),
		ExpiresAt: moment("expires_at"), RevokedAt: moment("revoked_at")}
	t.Permissions, _ = texts(p["permissions"])
	if t.Permissions == nil {
		t.Permissions = []string{}
	}
	t.Projects, _ = texts(p["projects"])
	t.Databases, _ = texts(p["databases"])
	var known bool
	switch rate := p["rate"].(type) {
	case float64:
		t.Rate, known = rate, rate > 0
	case int64:
		t.Rate, known = float64(rate), rate > 0
	default:
		known = rate == nil
	}
	budget, whole := p["budget"].(int64)
	if t.Budget = budget; !known || !whole && p["budget"] != nil { // an unreadable budget must not mean no limit
		t.Permissions = []string{}
	}
	return t
}

// texts decodes a list of strings. ok is false for any other value, which must not mean "no limit".
func texts(value any) (list []string, ok bool) {
	if value == nil {
		return nil, true
	}
	all, isList := value.([]any)
	if !isList {
		return []string{}, false
	}
	list = []string{}
	for _, one := range all {
		text, ok := one.(string)
		if !ok {
			return []string{}, false
		}
		list = append(list, text)
	}
	return list, true
}

// caller returns the caller that a token authenticates.
func (t Token) caller(ended <-chan struct{}) caller.Caller {
	c := caller.Caller{Name: t.Name, Authenticated: true, Ended: ended, Databases: t.Databases}
	for _, p := range t.Permissions {
		c.Permissions = append(c.Permissions, caller.Permission(p))
	}
	if t.Projects != nil {
		c.Projects = make([]string, len(t.Projects))
		for i, p := range t.Projects {
			c.Projects[i] = caller.Key(p)
		}
	}
	return c
}

// List is a list of tokens.
type List struct {
	Tokens []Token `json:"tokens"`
	Total  int     `json:"total"`
}
