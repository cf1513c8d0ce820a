package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"go.opentelemetry.io/otel/propagation"
)

// traced puts a message into the trace that its _meta names, as W3C Trace Context has it, over every transport.
type traced struct{}

// InjectMeta leaves what goes to clients as it is.
func (traced) InjectMeta(_ context.Context, meta *mcp.Meta) *mcp.Meta { return meta }

// ExtractMeta gives the context with the client's trace in it.
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
