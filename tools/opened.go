package tools

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// OpenedFields maps the name of an opened field to its object and its name in that object.
type OpenedFields map[string][2]string

// Opened returns the operation for the command line: the fields of the objects in CLI.Open become top-level fields,
// each with its own flag or position. If a name is taken, the field gets the object's name as a prefix.
func (o Operation) Opened() (Operation, OpenedFields) {
	places := OpenedFields{}
	if len(o.CLI.Open) == 0 {
		return o, places
	}
	flat := *o.Input()
	flat.Properties, flat.PropertyOrder = map[string]*jsonschema.Schema{}, nil
	flat.Required = slices.DeleteFunc(slices.Clone(o.Input().Required),
		func(name string) bool { return slices.Contains(o.CLI.Open, name) })
	add := func(name string, property *jsonschema.Schema) {
		flat.Properties[name], flat.PropertyOrder = property, append(flat.PropertyOrder, name)
	}
	for _, name := range o.Input().PropertyOrder {
		object := o.Input().Properties[name]
		if !slices.Contains(o.CLI.Open, name) {
			add(name, object)
			continue
		}
		for _, field := range object.PropertyOrder {
			as := field
			if o.Input().Properties[field] != nil {
				as = name + "_" + field
			}
			places[as] = [2]string{name, field}
			add(as, object.Properties[field])
			if slices.Contains(object.Required, field) {
				flat.Required = append(flat.Required, as)
			}
		}
	}
	o.opened = &flat
	return o, places
}

// InOpenedObject reports whether a field has an opened object's name as a prefix.
func (o Operation) InOpenedObject(field string) bool {
	return slices.ContainsFunc(o.CLI.Open, func(object string) bool { return strings.HasPrefix(field, object+"_") })
}

// Close moves the arguments of opened fields back into their objects.
func (p OpenedFields) Close(arguments map[string]any) map[string]any {
	out := maps.Clone(arguments)
	for name, place := range p {
		value, ok := out[name]
		if !ok {
			continue
		}
		delete(out, name)
		object, _ := out[place[0]].(map[string]any)
		if object == nil {
			object = map[string]any{}
			out[place[0]] = object
		}
		object[place[1]] = value
	}
	return out
}
