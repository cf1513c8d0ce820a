package cstp

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/apperr"
	"nomograph/tools"
)

// object is a JSON object during the conversion between spellings. Numbers are json.Number.
type object = map[string]any

// camel converts a name to camelCase: agent_id to agentId.
func camel(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
	for i, word := range words {
		if i > 0 {
			words[i] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// decode decodes JSON that is known to be valid.
func decode(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// toOperationArguments converts params to the arguments of an operation. It accepts both spellings of names and
// applies the shape of the method. Names within free-form values, such as facts, stay unchanged.
func toOperationArguments(ctx context.Context, o tools.Operation, params json.RawMessage, s shape) (object, error) {
	input := object{}
	if params != nil {
		if err := decode(params, &input); err != nil {
			return nil, apperr.New(apperr.Validation, "`params` is not an object").WithHint("Send a JSON object")
		}
	}
	if s.in != nil {
		if err := s.in(ctx, input); err != nil {
			return nil, err
		}
	}
	out, err := toArgumentNames(input, o.Input())
	full, _ := out.(object)
	return full, err
}

// toArgumentNames converts the names in a value to those of an argument's schema.
func toArgumentNames(value any, s *jsonschema.Schema) (any, error) {
	if s == nil {
		return value, nil
	}
	switch v := value.(type) {
	case object:
		if s.Properties == nil {
			return v, nil
		}
		names := make(map[string]string, len(s.Properties))
		for name := range s.Properties {
			names[camel(name)] = name
		}
		out := make(object, len(v))
		for key, member := range v {
			name := key
			if _, ok := s.Properties[key]; !ok && names[key] != "" {
				name = names[key]
			}
			inner, err := toArgumentNames(member, s.Properties[name])
			if err != nil {
				return nil, err
			}
			if other, twice := out[name]; twice && !reflect.DeepEqual(other, inner) {
				return nil, apperr.Newf(apperr.Validation, "`%s` and `%s` differ", name, camel(name)).
					WithHint("Set only one")
			}
			out[name] = inner
		}
		return out, nil
	case []any:
		for i := range v {
			inner, err := toArgumentNames(v[i], s.Items)
			if err != nil {
				return nil, err
			}
			v[i] = inner
		}
	}
	return value, nil
}

// toProtocol converts the answer of an operation to the protocol's form.
func toProtocol(ctx context.Context, d *Server, o tools.Operation, out any, s shape, params object) (any, *problem) {
	full, err := inCamelCase(o, out)
	if err != nil {
		return nil, problemOf(err, o.CSTP)
	}
	if s.out != nil {
		s.out(full)
	}
	if s.reply == nil {
		return full, nil
	}
	return s.reply(ctx, d, full, params)
}

// inCamelCase returns the answer of an operation with names in camelCase.
func inCamelCase(o tools.Operation, out any) (answer object, err error) {
	raw, err := text(out)
	if err == nil {
		err = decode(raw, &answer)
	}
	answer, _ = toCamelCase(answer, o.Output()).(object)
	return answer, err
}

// toCamelCase converts the names of a schema to camelCase. It changes the value.
func toCamelCase(value any, s *jsonschema.Schema) any {
	if s == nil {
		return value
	}
	switch v := value.(type) {
	case object:
		out := make(object, len(v))
		for key, member := range v {
			switch inner := s.Properties[key]; {
			case inner != nil:
				out[camel(key)] = toCamelCase(member, inner)
			case s.AdditionalProperties != nil:
				out[key] = toCamelCase(member, s.AdditionalProperties)
			default:
				out[key] = member
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = toCamelCase(v[i], s.Items)
		}
	}
	return value
}
