package mcp

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/caller"
	"nomograph/tools"
)

// permittedTools describes what is listed, and leaves in the list what the caller may call. A call of another one is answered with what it
// would need.
func (d *Door) permittedTools(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	who := caller.From(ctx)
	described := d.listing()
	result.Tools = slices.Clone(result.Tools)
	for i, t := range result.Tools {
		if tool, known := described[t.Name]; known {
			result.Tools[i] = tool
		}
	}
	if who.Trusted {
		return
	}
	result.Tools = slices.DeleteFunc(result.Tools, func(t mcp.Tool) bool {
		o, known := tools.Find(d.options.Operations, t.Name)
		return !known || !o.Permits(who)
	})
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
