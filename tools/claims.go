package tools

import (
	"context"
	"reflect"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/sessions"
)

// claims are the input fields in which a caller states its agent, session and project: field indexes, nil if absent.
// Filters such as "only this agent's" are not claims. by is the field By, which no caller can state.
type claims struct{ agent, session, project, by []int }

// claimsOf returns the claims among the fields of an input: fields with the tag claim:"agent" or claim:"session", and
// the field project. Fields without the tag, such as filters by agent, are not claims. A test lists the operations of
// both kinds.
func claimsOf(in reflect.Type) (c claims) {
	if in.Kind() != reflect.Struct {
		return c
	}
	for _, field := range reflect.VisibleFields(in) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		claim := field.Tag.Get("claim")
		switch {
		case field.Type.Kind() != reflect.String:
		case field.Name == "By" && name == "-":
			c.by = field.Index
		case claim == "agent":
			c.agent = field.Index
		case claim == "session":
			c.session = field.Index
		case name == "project":
			c.project = field.Index
		}
	}
	return c
}

// Permitted returns the reason why a caller may not use the operation, or nil.
func (o Operation) Permitted(c caller.Caller) error {
	switch {
	case !c.May(o.Permission):
		has := lists.Map(c.Permissions, func(p caller.Permission) string { return string(p) })
		return apperr.Newf(apperr.PermissionDenied, "`%s` needs the permission %s, which %s lacks", o.Name,
			o.Permission, callerText(c)).
			WithHint("The token has %s. Ask an administrator for a token with the permission",
				render.OrDash(strings.Join(has, ", "))).With("needs", o.Permission)
	case c.Limited() && o.Scope == "":
		return apperr.Newf(apperr.PermissionDenied, "`%s` covers all projects, and %s may see only some", o.Name,
			callerText(c)).
			WithHint("The token allows %s. Use a token for all projects", render.OrDash(strings.Join(c.Projects, ", ")))
	}
	return nil
}

// Permits reports whether a caller may use the operation. Lists show only permitted operations.
func (o Operation) Permits(c caller.Caller) bool { return o.Permitted(c) == nil }

func callerText(c caller.Caller) string {
	if c.Name == "" {
		return "the caller"
	}
	return "'" + c.Name + "'"
}

// applyClaims sets the caller's name, restricts an authenticated caller to its own name, sessions and projects, and
// sets them as defaults.
func (o Operation) applyClaims(ctx context.Context, app *App, in any) error {
	c := caller.From(ctx)
	values, places := reflect.ValueOf(in).Elem(), o.claims()
	if places.by != nil {
		values.FieldByIndex(places.by).SetString(callerName(ctx))
	}
	claim := func(place []int) (reflect.Value, string) {
		if place == nil {
			return reflect.Value{}, ""
		}
		field := values.FieldByIndex(place)
		return field, strings.TrimSpace(field.String())
	}
	if field, name := claim(places.agent); c.Authenticated && field.IsValid() && field.String() != "" {
		if name != "" && !c.Is(name) {
			return apperr.Newf(apperr.PermissionDenied, "%s cannot act as '%s'", callerText(c), name).
				WithHint("Leave `agent_id` out")
		}
		field.SetString(c.Name)
	}
	readsAny := o.OthersSessions != "" && c.May(o.OthersSessions) && !c.Limited()
	if _, id := claim(places.session); c.Authenticated && id != "" && !readsAny {
		owner, err := app.Trace.SessionOwner(ctx, id)
		if err != nil {
			return err
		}
		if owner != "" && !c.Is(owner) && c.Limited() { // the error must hide the owner and the existence of the session
			return sessions.NoSession(id)
		}
		if owner != "" && !c.Is(owner) {
			return apperr.Newf(apperr.PermissionDenied, "The session '%s' belongs to another agent, not to %s", id,
				callerText(c)).
				WithHint("Leave `session_id` out, or choose another")
		}
	}
	if !c.Limited() || places.project == nil {
		return nil
	}
	field, project := claim(places.project)
	switch {
	case project != "" && !c.Sees(project):
		return apperr.Newf(apperr.PermissionDenied, "%s may not see the project '%s'", callerText(c), project).
			WithHint("The token allows %s", render.OrDash(strings.Join(c.Projects, ", ")))
	case project == "" && len(c.Projects) == 1 && o.Scope == OfProject:
		field.SetString(c.Projects[0])
	case project == "" && o.Scope == OfProject:
		return apperr.Newf(apperr.PermissionDenied, "%s may see only some projects, so `project` is required",
			callerText(c)).
			WithHint("Pass one of these as `project`: %s", render.OrDash(strings.Join(c.Projects, ", ")))
	}
	return nil
}
