// Package jsonschema offers mcp-go what it uses of github.com/santhosh-tekuri/jsonschema/v6, which compiles
// meta-schemas at each start. It validates with github.com/google/jsonschema-go, which mcp-go links too and which does
// nothing before it is called (docs/contributing/mcp-go.md).
package jsonschema

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/jsonschema-go/jsonschema"
)

// UnmarshalJSON reads one JSON value. It returns an error if the text is not JSON or continues after the value.
func UnmarshalJSON(r io.Reader) (value any, err error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(text, &value)
	return value, err
}

// Compiler compiles the schemas that AddResource stored. It is not safe for concurrent use.
type Compiler struct{ documents map[string]any }

// NewCompiler returns a compiler without schemas.
func NewCompiler() *Compiler { return &Compiler{documents: map[string]any{}} }

// AddResource stores a schema, which is a value of UnmarshalJSON, under an address. It returns an error if the address
// has a schema.
func (c *Compiler) AddResource(address string, document any) error {
	if _, ok := c.documents[address]; ok {
		return fmt.Errorf("%s has a schema already", address)
	}
	c.documents[address] = document
	return nil
}

// Compile returns the schema with the given address. It returns an error if the schema is invalid, or refers to
// another address.
func (c *Compiler) Compile(address string) (*Schema, error) {
	document, ok := c.documents[address]
	if !ok {
		return nil, fmt.Errorf("%s has no schema", address)
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{BaseURI: address})
	if err != nil {
		return nil, err
	}
	return &Schema{resolved}, nil
}

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct{ resolved *jsonschema.Resolved }

// Validate returns a *ValidationError if a value of UnmarshalJSON does not match the schema.
func (s *Schema) Validate(value any) error {
	if err := s.resolved.Validate(value); err != nil {
		return &ValidationError{ErrorKind: err}
	}
	return nil
}

// ValidationError has no causes and no location: the message of ErrorKind names the first keyword that failed and its
// place in the schema.
type ValidationError struct {
	Causes           []*ValidationError
	InstanceLocation []string
	ErrorKind        error
}

func (e *ValidationError) Error() string { return e.ErrorKind.Error() }
