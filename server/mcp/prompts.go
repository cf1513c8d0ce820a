package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/tools"
)

// addPrompts adds the workflow prompts, each with the steps that the served tools allow.
func (d *Server) addPrompts() {
	for _, declared := range tools.Prompts() {
		p, any := declared.Served(d.options.Operations)
		if !any {
			continue
		}
		options := []mcp.PromptOption{mcp.WithPromptTitle(p.Title), mcp.WithPromptDescription(p.Use)}
		for _, a := range p.Arguments {
			about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.Use)}
			if a.Required {
				about = append(about, mcp.RequiredArgument())
			}
			options = append(options, mcp.WithArgument(a.Name, about...))
		}
		d.mcp.AddPrompt(mcp.NewPrompt(p.Name, options...),
			func(ctx context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				allowed, any := declared.Served(d.permittedOperations(ctx))
				if !any {
					return nil, apperr.Newf(apperr.PermissionDenied,
						"The caller may call no operation of the prompt '%s'",
						p.Name).WithHint("Ask an administrator for a token with the permission")
				}
				text, err := allowed.Text(d.caller(ctx, p.Name, request.Params.Meta), d.runner,
					request.Params.Arguments)
				if err != nil {
					return nil, err
				}
				return mcp.NewGetPromptResult(p.Use, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser,
					mcp.NewTextContent(text))}), nil
			})
	}
}

// CompletePromptArgument completes the argument of a prompt.
func (d *Server) CompletePromptArgument(ctx context.Context, prompt string, argument mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, p := range tools.Prompts() {
		for _, a := range p.Arguments {
			switch {
			case p.Name != prompt || a.Name != argument.Name:
			case a.Names != "":
				return d.complete(ctx, a.Names, argument.Value)
			default:
				others := func(choice string) bool { return !strings.HasPrefix(choice, argument.Value) }
				return &mcp.Completion{Values: slices.DeleteFunc(slices.Clone(a.Choices), others)}, nil
			}
		}
	}
	return &mcp.Completion{Values: []string{}}, nil
}

// complete returns the names of a kind with a prefix, as list_names returns them to the caller; none if the caller may
// not use list_names.
func (d *Server) complete(ctx context.Context, kind, prefix string) (*mcp.Completion, error) {
	list, err := runAs[tools.NameList](d, d.caller(ctx, "list_names", nil), "list_names",
		tools.NameQuery{Kind: kind, Prefix: prefix, Limit: maxCompletions + 1})
	switch {
	case apperr.Is(err, apperr.PermissionDenied), apperr.Is(err, apperr.Validation): // no name is that long
		return &mcp.Completion{Values: []string{}}, nil
	case err != nil:
		return nil, err
	}
	values := []string{}
	for _, name := range list.Names[:min(len(list.Names), maxCompletions)] {
		values = append(values, render.Clean(name.Name))
	}
	return &mcp.Completion{Values: values, HasMore: len(list.Names) > maxCompletions}, nil
}
