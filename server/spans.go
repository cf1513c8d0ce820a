package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools"
)

// Spans send OpenTelemetry traces: a span for each call of an operation, with a span for each statement in it. They
// record who called what and the result, never arguments, answers and parameters.
type Spans struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// NewSpans returns spans as configured by OpenTelemetry's environment variables, nil if OTEL_EXPORTER_OTLP_ENDPOINT and
// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT are empty or another variable disables traces. It sends protobuf over HTTP; if the
// variables request another protocol or are wrong, it logs that traces are not sent: they may be meant for other
// programs.
func NewSpans(ctx context.Context, version string, log zerolog.Logger) (*Spans, error) {
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	if cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) == "" ||
		strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || exporter != "" && exporter != "otlp" {
		return nil, nil
	}
	if p := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"),
		"http/protobuf"); p != "http/protobuf" {
		log.Warn().Str("protocol", p).Msg("traces disabled: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to http/protobuf")
		return nil, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn().Err(err).Msg("sending traces failed") }))
	at, err := newCollector()
	if err != nil {
		log.Warn().Err(err).Msg("traces not sent")
		return nil, nil
	}
	to, err := otlptrace.New(ctx, at)
	if err != nil {
		return nil, err
	}
	who, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("nomograph"),
		semconv.ServiceVersion(version)), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, err
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(to),
		sdk.WithResource(who)) // OTEL_TRACES_SAMPLER and OTEL_BSP_* apply
	return &Spans{provider, provider.Tracer("nomograph", trace.WithInstrumentationVersion(version))}, nil
}

// agentName is an attribute of the GenAI conventions, which semconv does not have.
const agentName = "gen_ai.agent.name"

// lastSpans is the timeout for sending the remaining spans at the end.
const lastSpans = 5 * time.Second

// Close sends the remaining spans.
func (s *Spans) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSpans)
	defer cancel()
	return s.provider.Shutdown(ctx)
}

// Watch creates the span of a call.
func (s *Spans) Watch(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
	kind := trace.SpanKindServer
	if trace.SpanFromContext(ctx).IsRecording() {
		kind = trace.SpanKindInternal
	}
	who := caller.From(ctx)
	ctx, span := s.tracer.Start(ctx, o.Name, trace.WithSpanKind(kind),
		trace.WithAttributes(attribute.String("nomograph.transport", cmp.Or(who.Transport, "http"))))
	if who.Name != "" {
		span.SetAttributes(semconv.EnduserID(who.Name), attribute.String(agentName, who.Name))
	}
	if who.Transport == "mcp" {
		span.SetAttributes(attribute.String("gen_ai.operation.name", "execute_tool"),
			attribute.String("gen_ai.tool.name", o.Name))
	}
	return ctx, func(answer any, err error) {
		defer span.End()
		if verdict, ok := answer.(interface{ Denied() bool }); ok && err == nil {
			span.SetAttributes(attribute.String("nomograph.verdict",
				map[bool]string{true: "denied", false: "allowed"}[verdict.Denied()]))
		}
		if v, ok := answer.(check.Verdict); ok && v.AgentID != "" {
			span.SetAttributes(attribute.String(agentName, v.AgentID))
		}
		failed(span, err)
	}
}

// Sent creates the span of a statement within a call, as an observer of the database.
func (s *Spans) Sent(ctx context.Context, statement string) (context.Context, func(error)) {
	if !trace.SpanFromContext(ctx).IsRecording() { // background work, such as the poll for commits
		return ctx, func(error) {}
	}
	ctx, span := s.tracer.Start(ctx, statement, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(semconv.DBSystemNameNeo4j, semconv.DBQuerySummary(statement)))
	return ctx, func(err error) {
		defer span.End()
		failed(span, err)
	}
}

// failed records only the code of an error: its message may contain arguments.
func failed(span trace.Span, err error) {
	if err != nil {
		code := resultOf(err)
		span.SetAttributes(semconv.ErrorTypeKey.String(code))
		span.SetStatus(codes.Error, code)
	}
}

// withTraceContext continues the trace named in the headers of a request, by W3C Trace Context.
func withTraceContext(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			r = r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}
