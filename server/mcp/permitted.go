package mcp

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/caller"
	"nomograph/tools"
)

// permittedTools lists the tools that the caller may use and that are listed now, with descriptions. A call of any
// other tool returns the missing permission.
func (d *Server) permittedTools(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
	d.decideListing(ctx)
	defer d.listing.first.Do(func() { close(d.listing.listed) })
	described := d.listing.tools(d.permittedOperations(ctx))
	result.Tools = slices.DeleteFunc(slices.Clone(result.Tools),
		func(t mcp.Tool) bool { return described[t.Name] == nil })
	for i, t := range result.Tools {
		result.Tools[i] = *described[t.Name]
	}
	result.Tools = d.withCards(ctx, result.Tools)
}

// permittedPrompts filters prompts to those of which the caller may run some step.
func (d *Server) permittedPrompts(ctx context.Context, _ any, _ *mcp.ListPromptsRequest,
	result *mcp.ListPromptsResult) {
	if caller.From(ctx).Trusted {
		return
	}
	result.Prompts = slices.DeleteFunc(slices.Clone(result.Prompts), func(p mcp.Prompt) bool {
		i := slices.IndexFunc(tools.Prompts(), func(declared tools.Prompt) bool { return declared.Name == p.Name })
		_, any := tools.Prompts()[i].Served(d.permittedOperations(ctx))
		return !any
	})
}

// permittedOperations returns the served operations that the caller may use.
func (d *Server) permittedOperations(ctx context.Context) []tools.Operation {
	who := caller.From(ctx)
	if who.Trusted {
		return d.options.Operations
	}
	return slices.DeleteFunc(slices.Clone(d.options.Operations),
		func(o tools.Operation) bool { return !o.Permits(who) })
}
