package mcp

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/caller"
	"nomograph/tools"
)

// permittedTools lists what the caller may call, as far as it is listed now, with descriptions. A call of another one is answered with
// what it would need.
func (d *Door) permittedTools(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	described := d.listing.of(d.permitted(ctx))
	result.Tools = slices.DeleteFunc(slices.Clone(result.Tools), func(t mcp.Tool) bool { return described[t.Name] == nil })
	for i, t := range result.Tools {
		result.Tools[i] = *described[t.Name]
	}
}

// permittedPrompts leaves in a list those of which the caller may do some step.
func (d *Door) permittedPrompts(ctx context.Context, _ any, _ *mcp.ListPromptsRequest, result *mcp.ListPromptsResult) {
	if caller.From(ctx).Trusted {
		return
	}
	result.Prompts = slices.DeleteFunc(slices.Clone(result.Prompts), func(p mcp.Prompt) bool {
		i := slices.IndexFunc(tools.Prompts, func(declared tools.Prompt) bool { return declared.Name == p.Name })
		_, any := tools.Prompts[i].Served(d.permitted(ctx))
		return !any
	})
}

// permitted are the operations that are served here and that the caller may use.
func (d *Door) permitted(ctx context.Context) []tools.Operation {
	who := caller.From(ctx)
	if who.Trusted {
		return d.options.Operations
	}
	return slices.DeleteFunc(slices.Clone(d.options.Operations), func(o tools.Operation) bool { return !o.Permits(who) })
}
