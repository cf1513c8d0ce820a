package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"nomograph/internal/pattern"
)

const (
	timeout     = 10 * time.Second // far more than documents within the limits need
	maxProblems = 100              // per document
)

// YAML parses one YAML (or JSON) document, and returns nil if there is none. It returns an *Error with all duplicate
// keys or the first syntax error, and an error if ctx ends.
func YAML(ctx context.Context, text string, l Limits) (*Node, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return parse(ctx, text, l)
}

// parse is YAML without a time limit of its own.
func parse(ctx context.Context, text string, l Limits) (root *Node, err error) {
	if len(text) > l.Bytes {
		return nil, tooLong(l.Bytes)
	}
	defer func() { // a text that crashes the parser is invalid
		if recovered := recover(); recovered != nil {
			root, err = nil, refused(Position{1, 1}, "it cannot be read")
		}
	}()
	found, err := compose(ctx, text, l)
	if err != nil || found == nil {
		return nil, err
	}
	t := tree{ctx: ctx, limits: l, made: map[*yaml.Node]*Node{}, weight: map[*yaml.Node]int{}}
	root, weight := t.node(found, nil)
	switch {
	case ctx.Err() != nil:
		return nil, endError(ctx)
	case weight > l.Nodes:
		return nil, refused(root.Position, "it has more than %d values after aliases are expanded", l.Nodes)
	case t.aliases > l.Aliases:
		return nil, refused(root.Position, "it has %d aliases; at most %d are allowed", t.aliases, l.Aliases)
	case len(t.problems) > 0:
		return nil, &Error{Problems: t.problems}
	}
	return root, nil
}

// compose parses the only document with the library.
func compose(ctx context.Context, text string, l Limits) (*yaml.Node, error) {
	if limit := 2 * l.Nodes; marks(text) > limit {
		return nil, refused(Position{1, 1}, "it has more than %d marks such as : and -", limit)
	}
	loader, err := yaml.NewLoader(&source{ctx, text},
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(l.Depth), loaderlimits.AliasNone())))
	if err != nil {
		return nil, err
	}
	var found *yaml.Node
	const enough = 10 // maximum number of empty documents
	for range enough {
		var next yaml.Node
		switch err := loader.Load(&next); {
		case errors.Is(err, io.EOF):
			return found, nil
		case ctx.Err() != nil:
			return nil, endError(ctx)
		case err != nil:
			return nil, parseError(text, err)
		case len(next.Content) == 0 || next.Content[0].ShortTag() == "!!null" && next.Content[0].Value == "":
		case found != nil:
			return nil, refused(Position{next.Content[0].Line, next.Content[0].Column},
				"another document begins here; only one is allowed")
		default:
			found = next.Content[0]
		}
	}
	return nil, refused(Position{1, 1}, "it has more than one document")
}

// marks counts the characters that create tokens. Tokens take a hundred times the memory of their text, and the library
// creates all of them before any node can be counted.
func marks(text string) int {
	count := 0
	for _, mark := range []string{":", ",", "[", "{", "?", "- ", "-\n", "&", "*", "!"} {
		count += strings.Count(text, mark)
	}
	return count
}

// source returns the text in parts until ctx ends.
type source struct {
	ctx  context.Context
	text string
}

const part = 16 << 10 // bytes

func (s *source) Read(p []byte) (int, error) {
	switch {
	case s.ctx.Err() != nil:
		return 0, s.ctx.Err()
	case s.text == "":
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), part)], s.text)
	s.text = s.text[n:]
	return n, nil
}

// unclosed matches the parser's context if it detects a missing end only at a later position.
var unclosed = pattern.New(`flow (mapping|sequence)|quoted scalar|simple key`)

func parseError(text string, err error) error {
	var broken *yaml.LoadError
	if !errors.As(err, &broken) {
		return &Error{Problems: []Problem{{Position: Position{1, 1}, Message: "it cannot be read"}}, cause: err}
	}
	at := broken.Mark
	if at.Line < 1 || unclosed.MatchString(broken.ContextMsg) && broken.ContextMark.Line > 0 {
		at = broken.ContextMark
	}
	place := Position{max(at.Line, 1), max(at.Column, 1)}
	if trimmed := strings.TrimRight(text, " \t\r\n"); place.Line > 1+strings.Count(trimmed,
		"\n") { // the text ends too early, so report the position of its end
		place = positionIn([]byte(trimmed), int64(len(trimmed)))
	}
	message := broken.Message
	if broken.ContextMsg != "" {
		message = broken.ContextMsg + ": " + message
	}
	return &Error{Problems: []Problem{{Position: place, Message: message}}, cause: err}
}

// number matches plain decimal numbers. An exponent needs a point before it or a sign, as programs write them. Other
// spellings can be identifiers: 0123456, 61e9540, 0x1F.
var number = pattern.New(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-][0-9]+)?$|^-?\.[0-9]+$`)

// infinite matches what YAML has beyond numbers.
var infinite = pattern.New(`^(?i:[-+]?\.inf|\.nan)$`)

// IsNumber reports whether a text without a type is a number. Any other text stays text, so that no identifier changes.
func IsNumber(text string) bool { return number.MatchString(text) }

// tree converts the library's nodes. A node with an anchor is converted once.
type tree struct {
	ctx      context.Context
	limits   Limits
	made     map[*yaml.Node]*Node
	weight   map[*yaml.Node]int
	aliases  int
	problems []Problem
}

// problem records a problem, up to maxProblems.
func (t *tree) problem(p Problem) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, p)
	}
}

// node returns the converted node and the number of values in it.
func (t *tree) node(from *yaml.Node, path []string) (*Node, int) {
	if from.Kind == yaml.AliasNode {
		t.aliases++
		to := t.made[from.Alias]
		if to == nil { // the node is still being converted: it contains itself
			t.problem(Problem{Position{from.Line, from.Column}, path, "the alias *" + shorten(from.Value) +
				" refers to a value that contains it"})
			return &Node{Position: Position{from.Line, from.Column}}, 1
		}
		return to, t.weight[from.Alias]
	}
	n, weight := &Node{Position: Position{from.Line, from.Column}}, 1
	add := func(w int) { weight = min(weight+w, t.limits.Nodes+1) }
	if t.ctx.Err() != nil {
		return n, weight
	}
	switch from.Kind {
	case yaml.MappingNode:
		n.kind = mapping
		t.entries(n, from, path, add)
	case yaml.SequenceNode:
		n.kind = list
		for i, item := range from.Content {
			made, w := t.node(item, child(path, index(i)))
			n.Items = append(n.Items, made)
			add(w)
		}
	default:
		n.scalar = t.value(from, path)
	}
	if from.Anchor != "" {
		t.made[from], t.weight[from] = n, weight
	}
	return n, weight
}

// entries converts the entries of a map. Written keys take precedence over keys merged with <<.
func (t *tree) entries(n *Node, from *yaml.Node, path []string, add func(int)) {
	first := make(map[string]Position, len(from.Content)/2)
	var merged []*Node
	for i := 0; i+1 < len(from.Content); i += 2 {
		key := from.Content[i]
		at := Position{key.Line, key.Column}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		value, w := t.node(from.Content[i+1], child(path, key.Value))
		add(w)
		switch earlier, again := first[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			t.problem(Problem{at, path, "a key must be text, not a list or map"})
		case key.ShortTag() == "!!merge":
			merged = append(merged, value)
		case again:
			t.problem(repeatedKey(at, child(path, key.Value), key.Value, earlier))
		default:
			first[key.Value] = at
			n.Entries = append(n.Entries, Entry{at, key.Value, value})
		}
	}
	for len(merged) > 0 {
		source := merged[0]
		merged = merged[1:]
		if source.IsList() {
			merged = append(source.Items[:len(source.Items):len(source.Items)], merged...)
			continue
		}
		if !source.IsMap() {
			t.problem(Problem{source.Position, path, "<< needs a map, or a list of maps"})
		}
		for _, e := range source.Entries {
			if _, ok := first[e.Key]; !ok {
				first[e.Key] = e.Position
				n.Entries = append(n.Entries, e)
			}
		}
	}
}

func (t *tree) value(from *yaml.Node, path []string) any {
	switch from.ShortTag() {
	case "!!null":
		return nil
	case "!!int", "!!float", "!!bool":
		if from.ShortTag() != "!!bool" && from.Style&yaml.TaggedStyle == 0 && !IsNumber(from.Value) &&
			!infinite.MatchString(from.Value) {
			return from.Value
		}
		var value any
		if err := from.Load(&value); err != nil {
			t.problem(Problem{Position{from.Line, from.Column}, path,
				fmt.Sprintf("it is not a valid %s", strings.TrimPrefix(from.ShortTag(), "!!"))})
			return nil
		}
		if whole, ok := value.(int); ok {
			return int64(whole)
		}
		return value
	}
	return from.Value
}
