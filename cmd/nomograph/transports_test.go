package main_test

import (
	"io"
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
		r, err := http.NewRequestWithContext(t.Context(), tt.method, url+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream, */*;q=0.1")
		if tt.body == "" {
			r.Body = http.NoBody
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), tt.says) {
			t.Errorf("%s %s: %d %.300s (%v), want %s", tt.method, tt.path, answer.StatusCode, text, err, tt.says)
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
		answer, err := http.Get(url + path) //nolint:noctx // a short test needs no context
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), want) {
			t.Errorf("%s: %d %.2000s (%v), want %s", path, answer.StatusCode, text, err, want)
		}
	}
	if _, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "decision", "list",
		"--min-confidence", "high"); code != 2 || !strings.Contains(stderr, "--min-confidence must be a number") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
