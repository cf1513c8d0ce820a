package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// node is a schema or subschema. Missing keywords are nil.
type node struct {
	never bool // the schema `false`
	ref   *node

	types                                                   []string
	enum                                                    []any
	minLength, maxLength, minItems, maxItems, minProperties *int
	minimum, maximum                                        *big.Rat
	pattern                                                 *regexp.Regexp
	uniqueItems                                             bool

	properties map[string]*node
	required   []string
	additional *node
	items      *node

	anyOf, oneOf          []*node
	not                   *node
	when, then, otherwise *node
}

// notes are keywords for documentation that validate nothing.
var notes = []string{"$schema", "$id", "$comment", "$defs", "title", "description", "default", "examples", "format"}

// MustCompile compiles a schema of the program. It panics if the schema is invalid or has a keyword that Check does not
// support, so that no constraint is ignored.
func MustCompile(text []byte) Schema {
	document, err := UnmarshalJSON(string(text))
	if err != nil {
		panic(err)
	}
	c := &compiler{document: document, refs: map[string]*node{}}
	root, err := c.compile(document)
	if err != nil {
		panic(err)
	}
	return Schema{root}
}

// UnmarshalJSON decodes one JSON value and keeps numbers as written, so that integers remain integers.
func UnmarshalJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("invalid character after top-level value")
	}
	return value, nil
}

type compiler struct {
	document any
	refs     map[string]*node // by reference; added before it is complete, since a schema can contain itself
}

func (c *compiler) compile(document any) (*node, error) {
	if holds, ok := document.(bool); ok {
		return &node{never: !holds}, nil
	}
	n := &node{}
	return n, c.fill(n, document)
}

func (c *compiler) fill(n *node, document any) error {
	object, ok := document.(map[string]any)
	if !ok {
		return fmt.Errorf("a schema is an object or a boolean, not %v", document)
	}
	for keyword, value := range object {
		if err := c.keyword(n, keyword, value); err != nil {
			return fmt.Errorf("%s: %w", keyword, err)
		}
	}
	return nil
}

func (c *compiler) keyword(n *node, keyword string, value any) (err error) {
	switch keyword {
	case "$ref":
		n.ref, err = c.refTarget(value)
	case "type":
		n.types, err = words(value)
		slices.SortFunc(n.types, func(a, b string) int { return slices.Index(types, a) - slices.Index(types, b) })
	case "enum":
		n.enum, err = as[[]any](value)
	case "required":
		n.required, err = words(value)
	case "minLength":
		n.minLength, err = integerOf(value)
	case "maxLength":
		n.maxLength, err = integerOf(value)
	case "minItems":
		n.minItems, err = integerOf(value)
	case "maxItems":
		n.maxItems, err = integerOf(value)
	case "minProperties":
		n.minProperties, err = integerOf(value)
	case "minimum":
		n.minimum, err = number(value)
	case "maximum":
		n.maximum, err = number(value)
	case "uniqueItems":
		n.uniqueItems, err = as[bool](value)
	case "pattern":
		var text string
		if text, err = as[string](value); err == nil {
			n.pattern, err = regexp.Compile(text)
		}
	case "properties":
		var object map[string]any
		object, err = as[map[string]any](value)
		n.properties = map[string]*node{}
		for name, property := range object {
			if n.properties[name], err = c.compile(property); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	case "additionalProperties":
		n.additional, err = c.compile(value)
	case "items":
		n.items, err = c.compile(value)
	case "not":
		n.not, err = c.compile(value)
	case "if":
		n.when, err = c.compile(value)
	case "then":
		n.then, err = c.compile(value)
	case "else":
		n.otherwise, err = c.compile(value)
	case "anyOf":
		n.anyOf, err = c.all(value)
	case "oneOf":
		n.oneOf, err = c.all(value)
	default:
		if !slices.Contains(notes, keyword) {
			err = errors.New("unsupported keyword")
		}
	}
	return err
}

func (c *compiler) all(value any) ([]*node, error) {
	list, err := as[[]any](value)
	nodes := make([]*node, len(list))
	for i := 0; i < len(list) && err == nil; i++ {
		nodes[i], err = c.compile(list[i])
	}
	return nodes, err
}

// refTarget returns the schema that a $ref such as #/$defs/name refers to.
func (c *compiler) refTarget(value any) (*node, error) {
	ref, err := as[string](value)
	if err != nil {
		return nil, err
	}
	if made := c.refs[ref]; made != nil {
		return made, nil
	}
	at := c.document
	parts := strings.Split(ref, "/")
	if parts[0] != "#" {
		return nil, fmt.Errorf("%s is not in this schema", ref)
	}
	for _, part := range parts[1:] {
		object, _ := at.(map[string]any)
		if at = object[part]; at == nil {
			return nil, fmt.Errorf("there is no %s", ref)
		}
	}
	n := &node{}
	c.refs[ref] = n
	return n, c.fill(n, at)
}

func as[T any](value any) (T, error) {
	got, ok := value.(T)
	if !ok {
		return got, fmt.Errorf("it is %v, not %T", value, got)
	}
	return got, nil
}

func words(value any) ([]string, error) {
	if word, ok := value.(string); ok {
		return []string{word}, nil
	}
	list, err := as[[]any](value)
	out := make([]string, len(list))
	for i := 0; i < len(list) && err == nil; i++ {
		out[i], err = as[string](list[i])
	}
	return out, err
}

func integerOf(value any) (*int, error) {
	r, err := number(value)
	if err != nil || !r.IsInt() {
		return nil, fmt.Errorf("%v is no whole number", value)
	}
	n := int(r.Num().Int64())
	return &n, nil
}

func number(value any) (*big.Rat, error) {
	if kindOf(value) != "number" {
		return nil, fmt.Errorf("%v is no number", value)
	}
	return exactly(value), nil
}
