package ofrep_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	provider "github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/server"
	"nomograph/server/ofrep"
	"nomograph/tools/toolstest"
)

const nodes = `CREATE (:SYS_Threshold {name: 'percent', value: 25, unit: 'percent', rationale: 'a quarter', decision_table: 'R1'}),
	(:SYS_Threshold {name: 'ratio', value: 0.5}), (:SYS_Threshold {name: 'ratio_shop', value: 0.75, scope: 'shop'}),
	(:SYS_Threshold {name: 'stage', value: 'beta'}), (:SYS_Threshold {name: 'open', value: true}),
	(:SYS_Threshold {name: 'list', value: [1, 2]}), (:SYS_Threshold {name: 'empty'}),
	(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}),
	(:SYS_Policy {name: 'on', active: true, requires: 'has(action.confidence)', severity: 'block'}), (:SYS_Policy {name: 'off', active: false, description: 'of no use'}),
	(:SYS_Policy {name: 'unsaid'})`

func open(t *testing.T) (*graphtest.Graph, string) {
	t.Helper()
	g, env := toolstest.Open(t)
	g.Exec(t, nodes, nil)
	s := server.New(server.Options{Address: "127.0.0.1:0", Log: zerolog.Nop(),
		Authenticate: func(r *http.Request) (caller.Caller, error) {
			switch r.Header.Get("Authorization") {
			case "Bearer reader":
				return caller.Caller{Name: "reader", Authenticated: true,
						Permissions: []caller.Permission{caller.Read}},
					nil
			case "Bearer nothing":
				return caller.Caller{Name: "nothing", Authenticated: true}, nil
			}
			return caller.Caller{}, apperr.New(apperr.Unauthenticated, "The request has no token")
		}})
	ofrep.New(env.Runner(), ofrep.Options{Events: "/api/v1/events?as=ofrep"}).Serve(s)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return g, h.URL
}

func ask(t *testing.T, url, path, body string, headers ...string) (int, http.Header, string) {
	t.Helper()
	return graphtest.Send(t, http.DefaultClient, http.MethodPost, url+path, body,
		append([]string{"Authorization", "Bearer reader", "Content-Type", "application/json"}, headers...)...)
}

// TestOpenFeatureSDK_ThresholdsAndPolicies_AreFlags uses OpenFeature's SDK with its OFREP provider.
func TestOpenFeatureSDK_ThresholdsAndPolicies_AreFlags(t *testing.T) {
	_, url := open(t)
	graphtest.OK(t, openfeature.SetNamedProviderAndWait(t.Name(),
		provider.NewProvider(url, provider.WithBearerToken("reader"))))
	client := openfeature.NewClient(t.Name())
	nobody := openfeature.NewTargetlessEvaluationContext(nil)
	if got, err := client.IntValueDetails(t.Context(), "percent", 1, nobody); err != nil || got.Value != 25 ||
		got.Reason != openfeature.StaticReason || got.Variant != "default" {
		t.Errorf("got %+v %v, want Value=25, Reason=%v, Variant=default", got, err, openfeature.StaticReason)
	} else if unit, err := got.FlagMetadata.GetString("unit"); err != nil || unit != "percent" {
		t.Errorf("metadata %v", got.FlagMetadata)
	} else if version, err := got.FlagMetadata.GetString("version"); err != nil || len(version) != 64 {
		t.Errorf("metadata %v", got.FlagMetadata)
	}
	graphtest.Equal(t, graphtest.Must(client.FloatValueDetails(t.Context(), "ratio", 1, nobody))(t).Value, 0.5, "value")
	shop := openfeature.NewEvaluationContext("user-1", map[string]any{"scope": "shop"})
	if got, err := client.FloatValueDetails(t.Context(), "ratio", 1, shop); err != nil || got.Value != 0.75 ||
		got.Reason != openfeature.TargetingMatchReason || got.Variant != "shop" {
		t.Errorf("got %+v %v, want Value=0.75, Reason=%v, Variant=shop", got, err, openfeature.TargetingMatchReason)
	}
	graphtest.Equal(t, graphtest.Must(client.StringValue(t.Context(), "stage", "", nobody))(t), "beta", "the value")
	for flag, want := range map[string]bool{"open": true, "policy:on": true, "policy:off": false,
		"policy:unsaid": false} {
		if got, err := client.BooleanValueDetails(t.Context(), flag, !want, nobody); err != nil || got.Value != want ||
			got.Reason != openfeature.StaticReason || got.Variant != map[bool]string{true: "active",
			false: "inactive"}[want] && flag != "open" {
			t.Errorf(`%s: got %+v %v, want Value=%v, Reason=%v, not got.Variant != map[bool]string{true: "active", false: "inactive"}[want] && flag != "open"`, flag, got, err, want, openfeature.StaticReason)
		}
	}
	if got, err := client.StringValueDetails(t.Context(), "none", "mine", nobody); err == nil || got.Value != "mine" ||
		got.ErrorCode != openfeature.FlagNotFoundCode {
		t.Errorf("got %+v %v, want an error, Value=mine, ErrorCode=%v", got, err, openfeature.FlagNotFoundCode)
	}
	if got, err := client.StringValueDetails(t.Context(), "percent", "mine", nobody); err == nil ||
		got.Value != "mine" || got.ErrorCode != openfeature.TypeMismatchCode {
		t.Errorf("got %+v %v, want an error, Value=mine, ErrorCode=%v", got, err, openfeature.TypeMismatchCode)
	}
	if got, err := client.IntValueDetails(t.Context(), "twice", 9, nobody); err == nil || got.Value != 9 ||
		got.ErrorCode != openfeature.GeneralCode {
		t.Errorf("got %+v %v, want an error, Value=9, ErrorCode=%v", got, err, openfeature.GeneralCode)
	}
}

func TestEvaluate_Answer_MatchesTheProtocol(t *testing.T) {
	g, url := open(t)
	status, header, text := ask(t, url, "/ofrep/v1/evaluate/flags", `{"context": {"targetingKey": "user-1"}}`)
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil || status != 200 {
		t.Fatal(status, text)
	}
	tag := strings.Replace(header.Get("ETag"), "-gzip", "", 1) // Go's client requests gzip automatically
	graphtest.Equal(t, `"`+all["metadata"].(map[string]any)["version"].(string)+`"`, tag, "the tag of the version")
	all["metadata"] = "the version"
	golden.Check(t, "testdata/flags.json", toolstest.Pretty(t, all))
	if status, _, text := ask(t, url, "/ofrep/v1/evaluate/flags?flagConfigEtag=x", `{"context": {}}`, "If-None-Match",
		tag); status != 304 || text != "" {
		t.Errorf("nothing changed: %d %s", status, text)
	}
	if status, other, _ := ask(t, url, "/ofrep/v1/evaluate/flags", `{"context": {"scope": "shop"}}`, "If-None-Match",
		tag); status != 200 || other.Get("ETag") == tag {
		t.Errorf("another scope: %d %s", status, other.Get("ETag"))
	}
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'percent'}) SET t.value = 50", nil)
	if status, _, _ := ask(t, url, "/ofrep/v1/evaluate/flags", `{"context": {}}`, "If-None-Match", tag); status != 200 {
		t.Errorf("after a manual edit: got %d, want status=200", status)
	}
}

func TestEvaluate_Errors_HaveTheProtocolsCodes(t *testing.T) {
	_, url := open(t)
	const one, all = "/ofrep/v1/evaluate/flags/percent", "/ofrep/v1/evaluate/flags"
	for _, row := range golden.Rows(t, "testdata/errors.txt") {
		status, _, text := ask(t, url, all+row[2], row[3])
		var body map[string]any
		_ = json.Unmarshal([]byte(text), &body)
		if strconv.Itoa(status) != row[0] || body["errorCode"] != row[1] || body["errorDetails"] == "" ||
			row[2] != "" &&
				body["key"] != row[2][1:] {
			t.Errorf("%v: got %d %s", row, status, text)
		}
	}
	for _, body := range []string{`{"context": null}`, `{"context": {"targetingKey": null}}`,
		`{"context": {"scope": null}}`, `{}`} {
		if status, _, text := ask(t, url, one, body); status != 200 {
			t.Errorf("%s: got %d %s, want 200", body, status, text)
		}
	}
	if _, _, text := ask(t, url, one, `[]`); !strings.Contains(text, "The body is not a valid JSON object. Send") {
		t.Errorf(`got %s for a list, want text with "The body is not a valid JSON object. Send"`, text)
	}
	if status, header, _ := ask(t, url, all, `{"context": {}}`, "Authorization", "Bearer nobody"); status != 401 {
		t.Errorf("nobody: %d %v", status, header)
	}
	for _, path := range []string{one, all} {
		if status, _, _ := ask(t, url, path, `{"context": {}}`, "Authorization", "Bearer nothing"); status != 403 {
			t.Errorf("a caller without the read permission: got %d, want status=403", status)
		}
	}
}
