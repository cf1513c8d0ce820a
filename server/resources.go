package server

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/fault"
	"nomograph/tools"
)

// resource is a kind of node that clients can read by address and complete by name.
type resource struct {
	template, names, title, use string
	operation                   string // which answers it, given the name
}

var resources = []resource{
	{"nomograph://policy/{name}", "policy", "Policy", "A policy with all its properties, live.", "get_policy"},
	{"nomograph://threshold/{name}", "threshold", "Threshold", "A threshold with its value, live.", "get_threshold"},
}

// mostCompletions is the protocol's limit.
const mostCompletions = 100

func (d *door) addResources() {
	for _, r := range resources {
		operation, known := tools.Find(tools.Catalogue, r.operation)
		if !known {
			panic("no operation " + r.operation)
		}
		base, _, _ := strings.Cut(r.template, "{")
		d.mcp.AddResourceTemplate(
			mcp.NewResourceTemplate(r.template, r.names, mcp.WithTemplateTitle(r.title), mcp.WithTemplateDescription(r.use), mcp.WithTemplateMIMEType("application/json")),
			func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				name, err := url.PathUnescape(strings.TrimPrefix(request.Params.URI, base))
				if err != nil {
					return nil, fault.Newf(fault.Validation, "%q is not an address", request.Params.URI)
				}
				arguments, err := json.Marshal(map[string]string{"name": name})
				if err != nil {
					return nil, err
				}
				out, err := operation.Run(d.caller(ctx, r.operation, nil), d.env, arguments)
				if err != nil {
					return nil, err
				}
				text, err := json.Marshal(out)
				if err != nil {
					return nil, err
				}
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: "application/json", Text: string(text)}}, nil
			})
	}
}

// CompleteResourceArgument completes the names in resource addresses.
func (d *door) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, r := range resources {
		if r.template != uri || argument.Name != "name" {
			continue
		}
		names, err := tools.Names[r.names](ctx, d.env, argument.Value, mostCompletions+1)
		if err != nil {
			return nil, err
		}
		more := len(names) > mostCompletions
		return &mcp.Completion{Values: names[:min(len(names), mostCompletions)], HasMore: more}, nil
	}
	return &mcp.Completion{Values: []string{}}, nil
}
