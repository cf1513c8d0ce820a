package main_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"nomograph/graph/graphtest"
)

// received are the spans that a program sent.
type received struct {
	mu      sync.Mutex
	spans   []*traces.Span
	service string
}

func (r *received) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var sent collector.ExportTraceServiceRequest
	if err != nil || proto.Unmarshal(body, &sent) != nil || request.URL.Path != "/v1/traces" ||
		request.Header.Get("Authorization") != "Bearer of the collector" {
		http.Error(w, "not what a collector takes", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range sent.ResourceSpans {
		r.service = attributes(resource.Resource.Attributes)["service.name"]
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

func attributes(list []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, one := range list {
		all[one.Key] = one.Value.GetStringValue()
	}
	return all
}

func TestSpans_CallsAndStatements_AreExported(t *testing.T) {
	g := withPacks(t)
	got := &received{}
	to := httptest.NewServer(got)
	defer to.Close()
	url, end := atAddress(t, append(g.Environ(t), "OTEL_EXPORTER_OTLP_ENDPOINT="+to.URL,
		"OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer%20of%20the%20collector"))
	const inHeader, inMeta = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319d"
	graphtest.Send(t, http.DefaultClient, http.MethodGet, strings.TrimSuffix(url, "/mcp")+
		"/api/v1/policies/NoTemporalFacet",
		"", "Traceparent", "00-"+inHeader+"-b7ad6b7169203331-01")
	post(t, url, "", "tools/call", map[string]any{"name": "check_action",
		"arguments": map[string]any{"description": "a private matter", "agent_id": "ada"},
		"_meta":     map[string]any{"traceparent": "00-" + inMeta + "-b7ad6b7169203332-01"}})
	post(t, url, "", "tools/call", map[string]any{"name": "get_policy",
		"arguments": map[string]any{"name": "a private name"}})
	if code := end(); code != 0 { // ending the program sends the remaining spans
		t.Fatalf("got the exit code %d", code)
	}
	got.mu.Lock() // it was sent by another process, so nothing else shows what was written before this
	defer got.mu.Unlock()

	calls, statements := map[string]*traces.Span{}, map[string]int{}
	for _, s := range got.spans {
		all := attributes(s.Attributes)
		for name, value := range all {
			if strings.Contains(value, "private") || strings.Contains(s.Status.GetMessage(), "private") {
				t.Errorf("%s has the attribute %s=%s, %v", s.Name, name, value, s.Status)
			}
		}
		switch s.Kind {
		case traces.Span_SPAN_KIND_SERVER:
			calls[s.Name+" "+all["nomograph.transport"]] = s
		case traces.Span_SPAN_KIND_CLIENT:
			statements[hex.EncodeToString(s.ParentSpanId)]++
			if all["db.system.name"] != "neo4j" || all["db.query.summary"] != s.Name || !strings.Contains(s.Name, "/") {
				t.Errorf("the statement %s has %v", s.Name, all)
			}
		}
	}
	for name, want := range map[string]struct{ trace, parent, verdict, failure, agent, tool string }{
		"get_policy rest":  {inHeader, "b7ad6b7169203331", "", "", "", ""},
		"check_action mcp": {inMeta, "b7ad6b7169203332", "allowed", "", "ada", "check_action"},
		"get_policy mcp":   {"", "", "", "not_found", "", "get_policy"},
	} {
		s := calls[name]
		if s == nil {
			t.Errorf("no span of %s was sent", name)
			continue
		}
		all := attributes(s.Attributes)
		if all["gen_ai.tool.name"] != want.tool || (all["gen_ai.operation.name"] == "execute_tool") != (want.tool != "") ||
			want.agent != "" && all["gen_ai.agent.name"] != want.agent {
			t.Errorf("%s: got the attributes %v, want the tool %q of the agent %q", name, all, want.tool, want.agent)
		}
		if want.trace != "" && hex.EncodeToString(s.TraceId) != want.trace ||
			hex.EncodeToString(s.ParentSpanId) != want.parent || all["nomograph.verdict"] != want.verdict ||
			all["error.type"] != want.failure || (s.Status.GetCode() == traces.Status_STATUS_CODE_ERROR) != (want.failure != "") || statements[hex.EncodeToString(s.SpanId)] == 0 {
			t.Errorf(`%s: got %v, want not want.trace != "" && hex.EncodeToString(s.TraceId) != want.trace, hex.EncodeToString(s.ParentSpanId)=%v, nomograph.verdict=%v, error.type=%v, (s.Status.GetCode() == traces.Status_STATUS_CODE_ERROR)=%v, nonzero statements[hex.EncodeToString(s.SpanId)]`, name, s, want.parent, want.verdict, want.failure, (want.failure != ""))
		}
	}
	graphtest.Equal(t, got.service, "nomograph", "the service")
}
