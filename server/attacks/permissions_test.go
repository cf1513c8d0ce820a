package attacks_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// TestAttack_WithoutPermission_IsRefused calls every operation on every transport with a token of each insufficient
// permission.
func TestAttack_WithoutPermission_IsRefused(t *testing.T) {
	s := open(t)
	type call struct {
		as        string
		operation tools.Operation
		transport
	}
	var calls []call
	for _, o := range all() {
		for _, as := range append([]caller.Permission{""}, caller.Permissions...) {
			if as == o.Permission || as == caller.Admin || o.CSTP != "" &&
				slices.ContainsFunc(tools.Catalog, func(other tools.Operation) bool {
					return other.CSTP == o.CSTP && other.Permission == as
				}) {
				continue // CSTP has one method for both operations
			}
			name := "only-" + string(as)
			if as == "" {
				name = "nothing"
			}
			for _, over := range transports {
				calls = append(calls, call{name, o, over})
			}
		}
	}
	each(calls, func(c call) {
		if r, served := c.send(t, s, c.as, c.operation,
			argumentsOf(c.operation, map[string]string{"decision": "abcd1234"})); served && !r.refused() {
			t.Errorf("%s over %s with %s: %d %s", c.operation.Name, c.name, c.as, r.status, r.body)
		}
	})
	for path, opened := range map[string][]caller.Permission{"/api/v1/events": {caller.Read, caller.Announce,
		caller.Govern}, "/api/v1/events?type=verdict": {caller.Read}, "/api/v1/events?type=session": {caller.Query},
		"/metrics": {caller.Read}, "/decisions": {caller.Read}, "/sessions": {caller.Query}} {
		for _, p := range caller.Permissions {
			if slices.Contains(opened, p) || p == caller.Admin {
				continue
			}
			graphtest.Equal(t, s.send(t, "only-"+string(p), http.MethodGet, path, "").status, http.StatusForbidden,
				fmt.Sprint(path, " with only ", p))
		}
	}
	for _, path := range []string{"/mcp", "/cstp", "/api/v1/policies", "/api/v1/events", "/ofrep/v1/evaluate/flags/bar",
		"/access/v1/evaluation", service + "QueryDecisions"} {
		status, _, _ := graphtest.Send(t, http.DefaultClient, http.MethodPost, s.url+path, "")
		graphtest.Equal(t, status, http.StatusUnauthorized, path+" without a token")
	}
}
