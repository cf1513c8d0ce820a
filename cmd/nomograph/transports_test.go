package main_test

import (
	"net/http"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestServe_EveryTransport_IsServed asks the program itself, over HTTP, one request for each transport.
func TestServe_EveryTransport_IsServed(t *testing.T) {
	g := withPacks(t)
	address, _ := atAddress(t, g.Environ(t))
	url := strings.TrimSuffix(address, "/mcp")
	for _, tt := range []struct{ method, path, body, says string }{
		{http.MethodGet, "/api/v1/policies/NoTemporalFacet", "", `"facet_key":"TEMPORAL"`},
		{http.MethodGet, "/openapi.json", "", `"openapi":"3.1.0"`},
		{http.MethodGet, "/api/docs", "", "<!doctype html>"},
		{http.MethodPost, "/ofrep/v1/evaluate/flags/policy:NoTemporalFacet", `{"context": {}}`, `"value":true`},
		{http.MethodPost, "/access/v1/evaluation", `{"subject": {"type": "user", "id": "ana"}, "action": {"name": "read"}, "resource": {"type": "page", "id": "1"}}`, `"decision":`},
		{http.MethodGet, "/.well-known/authzen-configuration", "", url + "/access/v1/evaluation"},
		{http.MethodPost, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "ping"}`, `"result"`},
	} {
		status, _, text := graphtest.Send(t, http.DefaultClient, tt.method, url+tt.path, tt.body, "Content-Type",
			"application/json", "Accept", "application/json, text/event-stream, */*;q=0.1")
		if status != http.StatusOK || !strings.Contains(text, tt.says) {
			t.Errorf("%s %s: %d %.300s, want %s", tt.method, tt.path, status, text, tt.says)
		}
	}
}

// TestTransports_InvalidArgument_SayWhichIsWrong: pages, REST and the command line parse texts in the same way, and
// name the argument as it is written there.
func TestTransports_InvalidArgument_SayWhichIsWrong(t *testing.T) {
	g := withPacks(t)
	address, _ := atAddress(t, g.Environ(t))
	url := strings.TrimSuffix(address, "/mcp")
	for path, want := range map[string]string{"/api/v1/decisions?min_confidence=high": "list_decisions: min_confidence must be number",
		"/decisions?min_confidence=high": "<h1>Minimum confidence must be a number</h1>"} {
		status, _, text := graphtest.Send(t, http.DefaultClient, http.MethodGet, url+path, "")
		if status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d %.2000s, want %s", path, status, text, want)
		}
	}
	session(t, g.Environ(t), "$ decision list --min-confidence high # 2\nerr --min-confidence must be a number")
}
