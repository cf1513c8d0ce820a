package server

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"nomograph/graph/graphtest"
)

// clearOTLP removes the OTLP variables of the machine.
func clearOTLP(t *testing.T) {
	for _, suffix := range []string{"ENDPOINT", "HEADERS", "COMPRESSION", "TIMEOUT", "CERTIFICATE",
		"CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		t.Setenv("OTEL_EXPORTER_OTLP_"+suffix, "")
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_"+suffix, "")
	}
}

func upload(t *testing.T) error {
	t.Helper()
	c := graphtest.Must(newCollector())(t)
	defer func() { _ = c.Stop(t.Context()) }()
	return c.UploadTraces(t.Context(), []*v1.ResourceSpans{{ScopeSpans: []*v1.ScopeSpans{{Spans: []*v1.Span{{Name: "check_action"}}}}}})
}

func TestCollector_Upload_UsesEnvironmentVariables(t *testing.T) {
	clearOTLP(t)
	var tries atomic.Int32
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		packed, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(packed)
		var sent collected.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(body, &sent) != nil ||
			sent.ResourceSpans[0].ScopeSpans[0].Spans[0].Name != "check_action" {
			t.Errorf("got %q, want an ExportTraceServiceRequest", body)
		}
		if r.URL.Path != "/otel/v1/traces" || r.Header.Get("X-Tenant") != "a,b" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf(`got %s with %v, want Path="/otel/v1/traces", X-Tenant="a,b", Content-Type="application/x-protobuf"`, r.URL, r.Header)
		}
	}))
	defer to.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to.URL+"/otel/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=other")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-tenant=a%2Cb, x-other=c")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	if err := upload(t); err != nil || tries.Load() != 2 {
		t.Errorf("got %v after %d requests, want success after 2", err, tries.Load())
	}
}

func TestCollector_TracesEndpoint_IsUsedUnchanged(t *testing.T) {
	clearOTLP(t)
	for path, want := range map[string]string{"": "/", "/": "/", "/spans": "/spans"} {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector.example.org"+path)
		c, err := newCollector()
		if err != nil || c.url != "https://collector.example.org"+want {
			t.Errorf("%q: got %+v, %v, want url=%v", path, c, err, "https://collector.example.org"+want)
		}
	}
}

func TestCollector_Refusal_IsAnError(t *testing.T) {
	clearOTLP(t)
	partial := graphtest.Must(proto.Marshal(&collected.ExportTraceServiceResponse{PartialSuccess: &collected.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"}}))(t)
	for name, test := range map[string]struct {
		status int
		body   string
		want   string // part of the error
	}{
		"refused":          {http.StatusUnauthorized, "who are you?", "401"},
		"part is refused":  {http.StatusOK, string(partial), `refused 3 spans: "too old"`},
		"all are taken":    {http.StatusOK, "", ""},
		"no protobuf":      {http.StatusOK, "{}", "protobuf"},
		"server is broken": {http.StatusInternalServerError, "", "500"},
	} {
		t.Run(name, func(t *testing.T) {
			var tries atomic.Int32
			to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				tries.Add(1)
				w.Header().Set("Content-Type", "application/x-protobuf")
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			}))
			defer to.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to.URL)
			err := upload(t)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) ||
				tries.Load() != 1 {
				t.Errorf("got %v after %d requests, want %q after 1", err, tries.Load(), test.want)
			}
		})
	}
}

// TestCollector_WrongVariable_IsNamed also checks that the value, which may be a secret, is not shown.
func TestCollector_WrongVariable_IsNamed(t *testing.T) {
	for suffix, value := range map[string]string{"ENDPOINT": "secret:4317", "HEADERS": "=secret", "TIMEOUT": "secret",
		"CERTIFICATE": "secret.pem", "CLIENT_KEY": "secret.key"} {
		t.Run(suffix, func(t *testing.T) {
			clearOTLP(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
			t.Setenv("OTEL_EXPORTER_OTLP_"+suffix, value)
			if _, err := newCollector(); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_"+suffix) ||
				strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want an error that names the variable alone", err)
			}
		})
	}
}
