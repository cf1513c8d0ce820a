package change

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/normalize"
	"nomograph/internal/timeparse"
	"nomograph/policies/history"
	"nomograph/policies/rule"
)

// Subjects of a freeze.
const (
	AgentSubject   = "agent"
	SessionSubject = "session"
)

// Freeze denies every action of an agent or a session: a rule, so that each check on each server reads it.
type Freeze struct {
	Name   string `json:"name" jsonschema:"agent, or id of a session" rule:"minLength=1,maxLength=150"`
	Reason string `json:"reason" jsonschema:"reason, which every denial shows" rule:"minLength=1,maxLength=1000"`
	Until  string `json:"until,omitempty" jsonschema:"end: a time, or a length such as 2h or 3d (default: until it is unfrozen)" rule:"maxLength=40"`
	By     string `json:"-"`
}

// Unfreeze ends a freeze.
type Unfreeze struct {
	Name   string `json:"name" jsonschema:"agent, or id of a session" rule:"minLength=1,maxLength=150"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=1000"`
	By     string `json:"-"`
}

// Frozen describes a freeze.
type Frozen struct {
	Name    string     `json:"name"`
	Subject string     `json:"subject" jsonschema:"agent or session"`
	Frozen  bool       `json:"frozen"`
	Policy  string     `json:"policy" jsonschema:"rule that denies"`
	Until   *time.Time `json:"until,omitempty"`
	Known   bool       `json:"known" jsonschema:"false: the graph has no agent or session of this name yet"`
}

// policyOf returns the name of the rule of a freeze.
func policyOf(subject, name string) string {
	if subject == AgentSubject {
		name = normalize.Name(name)
	}
	return "frozen-" + subject + "-" + name
}

// Freeze freezes an agent or a session, or changes its freeze. It returns a validation_error for a blank name and an
// end in the past, and a conflict for the caller's own name, which the caller could not unfreeze.
func (s *Store) Freeze(ctx context.Context, subject string, f Freeze) (Frozen, error) {
	f.Name = strings.TrimSpace(f.Name)
	out := Frozen{Name: f.Name, Subject: subject, Frozen: true, Policy: policyOf(subject, f.Name)}
	switch {
	case normalize.Name(f.Name) == "":
		return Frozen{}, apperr.New(apperr.Validation, "`name` is blank").WithHint("Name the %s to freeze", subject)
	case subject == AgentSubject && caller.SameAgent(f.Name, f.By):
		return Frozen{}, apperr.Newf(apperr.Conflict, "'%s' is your own name, and you could not unfreeze it", f.Name).
			WithHint("Freeze the client, such as claude-code or cursor, or the session")
	}
	condition, now := `session == `+quote(f.Name), time.Now().UTC().Truncate(time.Second)
	if subject == AgentSubject {
		condition = quote(normalize.Name(f.Name)) + ` in action.actors`
	}
	var ends string
	var end any
	if f.Until != "" {
		until, err := timeparse.Until("until", f.Until)
		if err != nil {
			return Frozen{}, err
		}
		out.Until, end, ends = &until, graph.UTC(until), ", until "+until.Format(time.RFC3339)
		condition += ` && now < timestamp(` + quote(until.Format(time.RFC3339)) + `)`
	}
	properties := map[string]any{"name": out.Policy, "active": true, "mode": rule.Enforce, "severity": rule.Block,
		"applies_when": condition, "requires": "false", "freezes": subject, "frozen_until": end,
		"message": fmt.Sprintf("The %s '%s' is frozen by %s since %s%s: %s", subject, f.Name, f.By,
			now.Format(time.RFC3339), ends, f.Reason),
		"alternatives": []string{"Stop, and tell the person you work for. Someone with the permission govern can unfreeze it"}}
	return out, s.graph.Write(ctx, func(tx *graph.Tx) (err error) {
		if err := tx.Run(ctx, cypher.PacksLock, nil); err != nil { // prevents duplicates
			return err
		}
		if out.Known, err = known(ctx, tx, subject, f.Name); err != nil {
			return err
		}
		node, err := s.take(ctx, tx, "SYS_Policy", out.Policy, "")
		switch {
		case err == nil:
			return s.update(ctx, tx, map[string]map[string]any{node.ID: properties}, history.Applied(f.By, f.Reason))
		case !apperr.Is(err, apperr.NotFound):
			return err
		}
		return s.create(ctx, tx, "SYS_Policy", properties, history.Applied(f.By, f.Reason))
	})
}

// Unfreeze ends the freeze of an agent or a session. It returns not_found if there is none.
func (s *Store) Unfreeze(ctx context.Context, subject string, f Unfreeze) (Frozen, error) {
	f.Name = strings.TrimSpace(f.Name)
	if subject == AgentSubject && caller.SameAgent(f.Name, f.By) {
		return Frozen{}, apperr.Newf(apperr.PermissionDenied, "'%s' cannot unfreeze itself", f.Name).
			WithHint("Another caller with the permission govern can")
	}
	deleted, err := s.DeletePolicy(ctx, Deletion{Name: policyOf(subject, f.Name), Reason: f.Reason, By: f.By})
	if apperr.Is(err, apperr.NotFound) {
		err = apperr.Newf(apperr.NotFound, "The %s '%s' is not frozen", subject, f.Name).
			WithHint("`get_today` lists what is frozen")
	}
	return Frozen{Name: f.Name, Subject: subject, Policy: deleted.Name, Known: true}, err
}

// known reports whether the graph has an agent or a session of this name.
func known(ctx context.Context, tx *graph.Tx, subject, name string) (bool, error) {
	found, err := graph.One[struct{ Known bool }](ctx, tx, cypher.FreezeSubjectKnown,
		graph.Params{"agent": subject == AgentSubject, "key": caller.Key(name), "id": name})
	return found.Known, err
}

// quote returns a text as a CEL literal. CEL reads the escapes of JSON.
func quote(text string) string {
	quoted, _ := json.Marshal(text) // a text always encodes
	return string(quoted)
}
