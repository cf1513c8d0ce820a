package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"nomograph/internal/render"
	"nomograph/tools"
)

// listings builds the tools of tools/list.
type listings struct {
	mu      sync.Mutex
	now     tools.Listings
	decided bool                 // now was read
	made    map[string]*mcp.Tool // by name
	listed  chan struct{}        // closed after a client got a list
	first   sync.Once
}

func newListings() *listings {
	return &listings{made: map[string]*mcp.Tool{}, listed: make(chan struct{})}
}

// set stores which listing conditions hold.
func (l *listings) set(now tools.Listings) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now, l.decided = now, true
}

// tools returns the listed tools of the operations, by name.
func (l *listings) tools(operations []tools.Operation) map[string]*mcp.Tool {
	l.mu.Lock()
	defer l.mu.Unlock()
	described := map[string]*mcp.Tool{}
	for _, o := range operations {
		if !l.now.Lists(o.Listing) {
			continue
		}
		if l.made[o.Name] == nil {
			tool := describe(o)
			l.made[o.Name] = &tool
		}
		described[o.Name] = l.made[o.Name]
	}
	return described
}

// listingTimeout limits how long tools/list waits for the database. Some clients give a server ten seconds to start.
const listingTimeout = 5 * time.Second

// decideListing reads which tools are listed, unless that is known. Without the database, the others are announced
// later.
func (d *Server) decideListing(ctx context.Context) {
	d.listing.mu.Lock()
	decided := d.listing.decided
	d.listing.mu.Unlock()
	if decided || !d.listsLater() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, listingTimeout)
	defer cancel()
	if now, err := d.runner.Listings(ctx); err == nil {
		d.listing.set(now)
	}
}

// listsLater reports whether the listing of an operation depends on the database.
func (d *Server) listsLater() bool {
	return slices.ContainsFunc(d.options.Operations, func(o tools.Operation) bool {
		return o.Listing == tools.ListedConversations || o.Listing == tools.ListedAtlases
	})
}

// AnnounceTools notifies clients when tools/list grows, until ctx ends. It polls the database only after a client has
// listed tools, and only while an operation is not listed yet.
func (d *Server) AnnounceTools(ctx context.Context) {
	if !d.listsLater() {
		return
	}
	select {
	case <-d.listing.listed:
	case <-ctx.Done():
		return
	}
	d.listing.mu.Lock()
	known := d.listing.now
	d.listing.mu.Unlock()
	d.runner.FollowListings(ctx, known, func(now tools.Listings) {
		d.listing.set(now)
		d.mcp.SendNotificationToAllClients(mcp.MethodNotificationToolsListChanged, nil)
	})
}

// describe converts an operation for tools/list. Every conversation pays for its size.
func describe(o tools.Operation) mcp.Tool {
	t := mcp.NewToolWithRawSchema(o.Name, o.Use, jsonText(brief(o)))
	t.RawOutputSchema = jsonText(outline(o.Output()))
	t.Annotations = mcp.ToolAnnotation{
		Title:           o.Title,
		ReadOnlyHint:    &o.Hints.ReadOnly,
		DestructiveHint: &o.Hints.Destructive,
		IdempotentHint:  &o.Hints.Idempotent,
		OpenWorldHint:   &o.Hints.OpenWorld,
	}
	return t
}

// brief returns an input schema without what a model does not need: lengths and bounds, which are validated, and
// defaults that the instructions describe. Each argument has a description, because some clients load one tool at a
// time.
func brief(o tools.Operation) *jsonschema.Schema {
	s := o.Input().CloneSchemas()
	shorten(s)
	s.AdditionalProperties = o.Input().AdditionalProperties
	if o.Asked != "" {
		s.Required = append(slices.Clone(s.Required), o.Asked)
	}
	for name, property := range s.Properties {
		about, _, _ := strings.Cut(cmp.Or(property.Description, tools.ReadableName(name)), " (default the ")
		if hasObjects(property) {
			about += ": " + inWords(property)
			property.Properties, property.PropertyOrder, property.Required = nil, nil, nil
		}
		property.Description = about
	}
	return s
}

// hasObjects reports whether objects are fields of an object. Such an object is described in words.
func hasObjects(s *jsonschema.Schema) bool {
	for _, field := range s.Properties {
		if len(field.Properties) > 0 || tools.IsObjects(field) && len(field.Items.Properties) > 0 {
			return true
		}
	}
	return false
}

// inWords describes the values of a schema: {id, stakes: low|high, at: a time}.
func inWords(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		return strings.Join(tools.Choices(s), "|")
	case s.Items != nil && cmp.Or(s.Description, inWords(s.Items)) != "":
		return "[" + cmp.Or(s.Description, inWords(s.Items)) + "]"
	case len(s.Properties) == 0:
		return s.Description
	}
	fields := make([]string, len(s.PropertyOrder))
	for i, name := range s.PropertyOrder {
		if fields[i] = name; inWords(s.Properties[name]) != "" {
			fields[i] += ": " + inWords(s.Properties[name])
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// oneType replaces a list of types, which some models refuse, by one schema for each type. Where every type is
// possible, it leaves the type out.
func oneType(s *jsonschema.Schema) {
	switch {
	case len(s.Types) == 0:
		return
	case slices.Contains(s.Types, "object"):
		s.Description = cmp.Or(s.Description, "any value")
	default:
		for _, name := range s.Types {
			one := &jsonschema.Schema{Type: name}
			if name == "array" {
				one.Items, s.Items = s.Items, nil
			}
			s.AnyOf = append(s.AnyOf, one)
		}
	}
	s.Types = nil
}

func shorten(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	s.MinLength, s.MaxLength, s.MaxItems = nil, nil, nil
	s.Minimum, s.Maximum = nil, nil
	if more := s.AdditionalProperties; more != nil && more.Not != nil {
		s.AdditionalProperties = nil
	}
	oneType(s)
	shorten(s.Items)
	for _, property := range s.Properties {
		shorten(property)
	}
}

// outline returns the names and types of the top-level fields of an output schema. Every answer that fits the whole
// schema fits it.
func outline(output *jsonschema.Schema) *jsonschema.Schema {
	s := output.CloneSchemas()
	s.AdditionalProperties = nil
	delete(s.Properties, render.RecordedField) // described in the instructions
	for name, property := range s.Properties {
		field := &jsonschema.Schema{Type: property.Type, Types: property.Types, Enum: property.Enum}
		if property.Items != nil {
			field.Items = &jsonschema.Schema{Type: property.Items.Type, Types: property.Items.Types}
			oneType(field.Items)
		}
		oneType(field)
		s.Properties[name] = field
	}
	return s
}

func jsonText(value any) json.RawMessage {
	text, err := render.JSON(value)
	if err != nil { // cannot happen: our own schemas and errors
		panic(err)
	}
	return text
}
