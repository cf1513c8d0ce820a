package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/fault"
	"nomograph/layout"
	"nomograph/tools"
)

// resource is a kind of node that clients can read by address and complete by name.
type resource struct {
	template, names, title, use string
	operation, argument         string // which answers it, given the name as this argument
	watched                     bool   // clients can subscribe to it
}

var resources = []resource{
	{"nomograph://policy/{name}", "policy", "Policy", "A policy with all its properties, live.", "get_policy", "name", true},
	{"nomograph://threshold/{name}", "threshold", "Threshold", "A threshold with its value, live.", "get_threshold", "name", true},
	{"nomograph://decision/{id}", "decision", "Decision", "A decision with its reasons, reviews and history.", "get_decision", "id", false},
	{"nomograph://graph/{id}", "decision", "Graph", "A decision and those it is linked to.", "get_graph", "node_id", false},
}

// parts are what stands before the variable of a template, and the variable's name.
func (r resource) parts() (base, variable string) {
	base, variable, _ = strings.Cut(r.template, "{")
	return base, strings.TrimSuffix(variable, "}")
}

// kind is the word after nomograph://.
func (r resource) kind() string {
	base, _ := r.parts()
	return strings.Trim(strings.TrimPrefix(base, "nomograph:"), "/")
}

// mostCompletions is the protocol's limit.
const mostCompletions = 100

func (d *Door) addResources() {
	for _, r := range resources {
		d.mcp.AddResourceTemplate(
			mcp.NewResourceTemplate(r.template, r.kind(), mcp.WithTemplateTitle(r.title), mcp.WithTemplateDescription(r.use), mcp.WithTemplateMIMEType("application/json")),
			func(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
				out, err := d.read(ctx, request.Params.URI)
				if err != nil {
					return nil, err
				}
				text, err := layout.JSON(out)
				if err != nil {
					return nil, err
				}
				return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: "application/json", Text: string(text)}}, nil
			})
	}
}

// read gives what stands at an address.
func (d *Door) read(ctx context.Context, uri string) (any, error) {
	r, name, err := resourceAt(uri)
	if err != nil {
		return nil, err
	}
	operation, known := tools.Find(tools.Catalogue, r.operation)
	if !known {
		panic("no operation " + r.operation)
	}
	arguments, err := json.Marshal(map[string]string{r.argument: name})
	if err != nil {
		return nil, err
	}
	return operation.Run(d.caller(ctx, r.operation, nil), d.env, arguments)
}

// resourceAt gives the resource that an address is of, and the name in it.
func resourceAt(uri string) (resource, string, error) {
	for _, r := range resources {
		base, _ := r.parts()
		escaped, ours := strings.CutPrefix(uri, base)
		if name, err := url.PathUnescape(escaped); ours && err == nil && name != "" && !strings.ContainsAny(escaped, "/?#") {
			return r, name, nil
		}
	}
	templates := make([]string, len(resources))
	for i, r := range resources {
		templates[i] = r.template
	}
	return resource{}, "", fault.Newf(fault.NotFound, "%q is not the address of a resource", uri).
		WithHint("Addresses are %s; what is special in a name is percent-encoded", strings.Join(templates, ", "))
}

// CompleteResourceArgument completes the names in resource addresses.
func (d *Door) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, r := range resources {
		if _, variable := r.parts(); r.template != uri || argument.Name != variable {
			continue
		}
		return d.complete(ctx, r.names, argument.Value)
	}
	return &mcp.Completion{Values: []string{}}, nil
}
