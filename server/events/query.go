package events

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nomograph/events"
	"nomograph/internal/apperr"
)

const (
	lastEventID     = "last_event_id"
	asOFREP         = "ofrep"
	maxFilterLength = 200
)

// eventRequest is a parsed request.
type eventRequest struct {
	events.Filter
	after *events.Position // last event that the client knows; nil to start now
	ofrep bool
}

// parseRequest parses a request. It returns a validation_error.
func parseRequest(r *http.Request) (eventRequest, error) {
	var a eventRequest
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return a, apperr.New(apperr.Validation, "Invalid query").
			WithHint("Escape special characters: curl -G --data-urlencode name=value")
	}
	after := r.Header.Get("Last-Event-ID")
	texts := map[string]*string{"name": &a.Name, "rule": &a.Rule, "project": &a.Project, "agent_id": &a.AgentID,
		"category": &a.Category, "outcome": &a.Outcome, "session_id": &a.Session}
	for name, values := range query {
		one := values[len(values)-1]
		if single := name != "type" && name != "stakes"; single && len(values) > 1 {
			return a, apperr.Newf(apperr.Validation, "%s is set %d times", name, len(values)).WithHint("Set it once")
		}
		if len(strings.Join(values, ",")) > 10*maxFilterLength {
			return a, apperr.Newf(apperr.Validation, "%s is too long", name).WithHint("Shorten it, or leave it out")
		}
		if text := texts[name]; text != nil {
			*text = one
			continue
		}
		switch name {
		case "type":
			a.Types = parts(values)
		case "stakes":
			a.Stakes = parts(values)
		case "allowed":
			allowed := one == "true"
			if !allowed && one != "false" {
				return a, apperr.Newf(apperr.Validation, "allowed must be true or false, not %q", one).
					WithHint("Leave it out for both")
			}
			a.Allowed = &allowed
		case lastEventID:
			if after == "" { // Last-Event-ID of a reconnecting client is newer than the URL
				after = one
			}
		case "as":
			if a.ofrep = one == asOFREP; !a.ofrep {
				return a, apperr.Newf(apperr.Validation, "Unknown event format %q", one).
					WithHint("Use as=%s, or leave it out", asOFREP)
			}
		default:
			return a, apperr.Newf(apperr.Validation, "Unknown parameter %q", name).
				WithHint("Use %s", strings.Join(parameters(), ", "))
		}
	}
	if a.ofrep && len(a.Types) == 0 {
		a.Types = []string{events.ThresholdChanged, events.PolicyChanged}
	}
	if after != "" {
		position, err := events.ParsePosition(after)
		if err != nil {
			return a, err
		}
		a.after = &position
	}
	return a, nil
}

func parts(values []string) []string {
	return slices.DeleteFunc(strings.Split(strings.Join(values, ","), ","),
		func(part string) bool { return part == "" })
}
