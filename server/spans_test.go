package server_test

import (
	"os"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/config"
	"nomograph/server"
)

// TestSpansAreSentWhereTheEnvironmentSays: a file that lies in the folder is no part of it, trusted or not.
func TestSpansAreSentWhereTheEnvironmentSays(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"} {
		t.Setenv(name, "")
	}
	if err := os.WriteFile(".env", []byte("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sends := func() bool {
		if _, err := config.Load(nil, ""); err != nil {
			t.Fatal(err)
		}
		spans, err := server.NewSpans(t.Context(), "test", zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if spans != nil {
			_ = spans.Close(t.Context())
		}
		return spans != nil
	}
	if sends() {
		t.Error("a .env says where to")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
	if !sends() {
		t.Error("the environment does not")
	}
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if sends() {
				t.Error("it sends")
			}
		})
	}
}
