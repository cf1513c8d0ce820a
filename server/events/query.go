package events

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nomograph/access"
	"nomograph/fault"
	"nomograph/feed"
	"nomograph/tools"
)

const (
	lastEventID   = "last_event_id"
	asOFREP       = "ofrep"
	longestFilter = 200
)

// asked is what a request asks to be told.
type asked struct {
	feed.Query
	ofrep bool
}

// askedFor reads a request. It returns a validation_error, and permission_denied where it names a type that its caller may not see;
// where it names none, the caller is told what it may see.
func askedFor(r *http.Request, who access.Caller) (asked, error) {
	var a asked
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return a, fault.New(fault.Validation, "The query is not well formed").WithHint("Escape what is special in it: curl -G --data-urlencode name=value")
	}
	after := r.Header.Get("Last-Event-ID")
	for name, values := range query {
		one := values[len(values)-1]
		if single := name != "type" && name != "stakes"; single && len(values) > 1 {
			return a, fault.Newf(fault.Validation, "%s is given %d times", name, len(values)).WithHint("Say it once")
		}
		if len(strings.Join(values, ",")) > 10*longestFilter {
			return a, fault.Newf(fault.Validation, "%s is too long", name).WithHint("Ask for less, or for everything")
		}
		switch name {
		case "type":
			a.Filter.Types = parts(values)
		case "stakes":
			a.Stakes = parts(values)
		case "name":
			a.Name = one
		case "rule":
			a.Rule = one
		case "project":
			a.Project = one
		case "agent_id":
			a.AgentID = one
		case "category":
			a.Category = one
		case "outcome":
			a.Outcome = one
		case "session_id":
			a.Session = one
		case "allowed":
			allowed := one == "true"
			if !allowed && one != "false" {
				return a, fault.Newf(fault.Validation, "allowed is true or false, not %q", one).WithHint("Leave it out for both")
			}
			a.Allowed = &allowed
		case lastEventID:
			if after == "" { // what a client that comes back by itself says is newer
				after = one
			}
		case "as":
			if a.ofrep = one == asOFREP; !a.ofrep {
				return a, fault.Newf(fault.Validation, "Events are not told as %q", one).WithHint("as=%s, or leave it out", asOFREP)
			}
		default:
			return a, fault.Newf(fault.Validation, "There is no parameter %q", name).WithHint("There are %s", strings.Join(parameters(), ", "))
		}
	}
	if a.ofrep && len(a.Filter.Types) == 0 {
		a.Filter.Types = []string{feed.ThresholdChanged, feed.PolicyChanged}
	}
	if after != "" {
		position, err := feed.ParsePosition(after)
		if err != nil {
			return a, err
		}
		a.After = &position
	}
	a.Types, err = permitted(a.Filter, who)
	return a, err
}

func parts(values []string) []string {
	return slices.DeleteFunc(strings.Split(strings.Join(values, ","), ","), func(part string) bool { return part == "" })
}

// permitted are the types that a filter asks for and a caller may see: those whose operation it may call.
func permitted(f feed.Filter, who access.Caller) ([]feed.Type, error) {
	types, err := f.ChosenTypes()
	if err != nil {
		return nil, err
	}
	var seen []feed.Type
	for _, t := range types {
		operation, _ := tools.Find(tools.Catalogue, t.Operation)
		if operation.Permits(who) {
			seen = append(seen, t)
			continue
		}
		if len(f.Types) > 0 {
			return nil, refused(who, t)
		}
	}
	if len(seen) == 0 {
		return nil, refused(who, types[0])
	}
	return seen, nil
}

func refused(who access.Caller, t feed.Type) error {
	if !who.May(access.Read) {
		return fault.New(fault.PermissionDenied, "Events need the permission read").WithHint("An administrator gives rights with a new token").With("needs", access.Read)
	}
	return fault.Newf(fault.PermissionDenied, "Events of the type %s are for those who may call `%s`", t.Name, t.Operation).
		WithHint("Leave the type out, and be told what you may see")
}
