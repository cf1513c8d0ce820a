package mcp

import (
	"context"
	_ "embed"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/apperr"
	"nomograph/internal/document"
	httpserver "nomograph/server"
	"nomograph/tools"
)

// resource is a kind of node that clients can read by address and complete by name: a row of resources.json.
type resource struct {
	Template, Names, Title, Use string
	Operation, Argument         string // operation that reads the resource, and its argument for the name
	Watched                     bool   // clients can subscribe to it
	// ?cursor= in the address selects a page, as the answer's next_cursor names it
	Paged bool
	Fixed map[string]any // further arguments
	Text  string         // output field that is the resource; empty: the whole answer
	// event types that signal changes; none for policies and thresholds, which the watcher compares
	Events []string
}

//go:embed resources.json
var resourcesFile []byte

var resources = document.ShippedJSON[[]resource](resourcesFile)

// governance is the URI scheme of resources that are served with the operations of governed sessions.
const governance = "cra://"

// servedResources returns the readable resources.
func (d *Server) servedResources() []resource {
	_, governed := tools.Find(d.options.Operations, "cra_start_session")
	return slices.DeleteFunc(slices.Clone(resources()),
		func(r resource) bool { return strings.HasPrefix(r.Template, governance) && !governed })
}

// parts splits a template at its variable.
func (r resource) parts() (base, variable string) {
	base, variable, _ = strings.Cut(r.Template, "{")
	return base, strings.TrimSuffix(variable, "}")
}

// kind returns the word after nomograph://, and for other schemes the scheme and the word after it.
func (r resource) kind() string {
	base, _ := r.parts()
	scheme, word, _ := strings.Cut(base, "://")
	if word = strings.ReplaceAll(strings.Trim(word, "/"), "/", "-"); scheme != "nomograph" {
		return scheme + "-" + word
	}
	return word
}

// maxCompletions is the protocol's limit.
const maxCompletions = 100

func (d *Server) addResources() {
	for _, r := range d.servedResources() {
		if _, variable := r.parts(); variable == "" {
			d.mcp.AddResource(mcp.NewResource(r.Template, r.kind(), mcp.WithResourceTitle(r.Title),
				mcp.WithResourceDescription(r.Use), mcp.WithMIMEType("application/json")), d.contents)
			continue
		}
		if r.Paged {
			d.mcp.AddResourceTemplate(mcp.NewResourceTemplate(r.Template+"{?cursor}", r.kind()+"-page",
				mcp.WithTemplateTitle(r.Title+", from a place on"),
				mcp.WithTemplateDescription("The page behind a cursor, as next_uri names it."),
				mcp.WithTemplateMIMEType("application/json")), d.contents)
		}
		d.mcp.AddResourceTemplate(mcp.NewResourceTemplate(r.Template, r.kind(), mcp.WithTemplateTitle(r.Title),
			mcp.WithTemplateDescription(r.Use), mcp.WithTemplateMIMEType("application/json")), d.contents)
	}
}

func (d *Server) contents(ctx context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	text, err := d.read(ctx, request.Params.URI)
	if err != nil {
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: "application/json",
		Text: text}}, nil
}

// read returns the resource at an address as JSON.
func (d *Server) read(ctx context.Context, uri string) (string, error) {
	r, name, err := d.resourceAt(uri)
	if err != nil {
		return "", err
	}
	operation, _ := tools.Find(tools.Catalog, r.Operation)
	arguments := map[string]any{}
	maps.Copy(arguments, r.Fixed)
	if r.Argument != "" {
		arguments[r.Argument] = name
	}
	if _, cursor := pageOf(uri); r.Paged && cursor != "" {
		arguments["cursor"] = cursor
	}
	out, err := httpserver.Run[any](d.caller(ctx, r.Operation, nil), d.runner, operation, arguments)
	switch {
	case r.Operation == "cra_get_session" && apperr.Is(err,
		apperr.NotFound): // readable before it begins, for clients that wait for it
		return `{"active": false}`, nil
	case err != nil:
		return "", err
	}
	text, err := operation.JSON(out)
	if err == nil && r.Paged {
		text, err = addNextPage(text, uri)
	}
	if r.Text != "" {
		return gjson.GetBytes(text, r.Text).Str, err
	}
	return string(text), err
}

// resourceAt returns the resource kind of an address and the name in it.
func (d *Server) resourceAt(uri string) (resource, string, error) {
	for _, r := range d.servedResources() {
		base, variable := r.parts()
		if variable == "" {
			if uri == r.Template {
				return r, "", nil
			}
			continue
		}
		address := uri
		if r.Paged {
			address, _ = pageOf(uri)
		}
		escaped, ours := strings.CutPrefix(address, base)
		if name, err := url.PathUnescape(escaped); ours && err == nil && name != "" &&
			!strings.ContainsAny(escaped, "/?#") {
			return r, name, nil
		}
	}
	var templates []string
	for _, r := range d.servedResources() {
		templates = append(templates, r.Template)
	}
	return resource{}, "", apperr.Newf(apperr.NotFound, "Unknown resource address %q", uri).
		WithHint("Use %s; percent-encode special characters in names", strings.Join(templates, ", "))
}

// pageOf splits an address and the cursor in it.
func pageOf(uri string) (address, cursor string) {
	address, query, _ := strings.Cut(uri, "?")
	reply, err := url.ParseQuery(query)
	if cursor = reply.Get("cursor"); query == "" || err != nil || cursor == "" || len(reply) > 1 {
		return uri, ""
	}
	return address, cursor
}

// addNextPage adds the address of the next page.
func addNextPage(page []byte, uri string) ([]byte, error) {
	next := gjson.GetBytes(page, "next_cursor").Str
	if next == "" {
		return page, nil
	}
	address, _ := pageOf(uri)
	return sjson.SetBytes(page, "next_uri", address+"?cursor="+url.QueryEscape(next))
}

// CompleteResourceArgument completes names in resource addresses.
func (d *Server) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument,
	_ mcp.CompleteContext) (*mcp.Completion, error) {
	for _, r := range d.servedResources() {
		if _, variable := r.parts(); r.Template != uri || argument.Name != variable {
			continue
		}
		return d.complete(ctx, r.Names, argument.Value)
	}
	return &mcp.Completion{Values: []string{}}, nil
}
