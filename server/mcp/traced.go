package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/propagation"
)

// traced continues the trace named in the _meta of a message, by W3C Trace Context, over every transport.
type traced struct{}

// InjectMeta leaves messages to clients unchanged.
func (traced) InjectMeta(_ context.Context, meta *mcp.Meta) *mcp.Meta { return meta }

// ExtractMeta returns the context with the client's trace.
func (traced) ExtractMeta(ctx context.Context, meta *mcp.Meta) context.Context {
	if meta == nil || meta.AdditionalFields["traceparent"] == nil {
		return ctx
	}
	named := propagation.MapCarrier{}
	for _, field := range (propagation.TraceContext{}).Fields() {
		if text, ok := meta.AdditionalFields[field].(string); ok {
			named[field] = text
		}
	}
	return propagation.TraceContext{}.Extract(ctx, named)
}
