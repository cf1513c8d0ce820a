package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/config"
	"nomograph/server"
	"nomograph/tools"
)

// TestSpans_Endpoint_ComesFromTheEnvironment also checks that a .env file in the directory has no effect, trusted or
// not.
func TestSpans_Endpoint_ComesFromTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		t.Setenv(name, "")
	}
	graphtest.OK(t, os.WriteFile(".env", []byte("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9\n"), 0o600))
	sends := func() bool {
		graphtest.Must(config.Load(nil, ""))(t)
		spans := graphtest.Must(server.NewSpans(t.Context(), "test", zerolog.Nop()))(t)
		if spans != nil {
			_ = spans.Close(t.Context())
		}
		return spans != nil
	}
	if sends() {
		t.Error("a .env file configured the endpoint")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
	if !sends() {
		t.Error("the environment configured no spans")
	}
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if sends() {
				t.Error("spans were sent")
			}
		})
	}
}

func TestSlow_CallAboveLimit_IsLoggedWithItsTrace(t *testing.T) { synctest.Test(t, slowCallIsLogged) }

func slowCallIsLogged(t *testing.T) {
	var log strings.Builder
	watch := server.Slow(zerolog.New(&log), time.Millisecond)
	ctx := trace.ContextWithSpanContext(t.Context(),
		trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1, 2}, SpanID: trace.SpanID{3}}))
	_, end := watch(ctx, tools.Operation{Name: "get_threshold", Kind: tools.Call})
	time.Sleep(time.Second) // advances only the virtual time of synctest
	end(nil, apperr.New(apperr.NotFound, "SYS_Threshold node 'a private name' not found"))
	if body := log.String(); !strings.Contains(body, `"trace":"01020000000000000000000000000000"`) ||
		!strings.Contains(body, `"error":"not_found"`) || strings.Contains(body, "private") {
		t.Errorf(`log: got %s, want body with ""trace":"01020000000000000000000000000000"", body with ""error":"not_found"", body without private`, body)
	}
}

func TestMetrics_BackgroundCall_IsNotCounted(t *testing.T) {
	m := server.NewMetrics()
	for _, ctx := range []context.Context{graph.InBackground(t.Context()), t.Context()} {
		_, end := m.Watch(ctx, tools.Operation{Name: "get_today"})
		end(nil, nil)
	}
	answer := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(caller.With(t.Context(), caller.Local("ada")), http.MethodGet, "/metrics", nil)
	m.Handler().ServeHTTP(answer, r)
	graphtest.Contains(t, answer.Body.String(),
		`nomograph_calls_total{operation="get_today",result="ok",transport="http"} 1`,
		`nomograph_call_duration_seconds_count{operation="get_today",transport="http"} 1`)
}
