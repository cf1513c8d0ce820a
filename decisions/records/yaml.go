package records

import (
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The reader of YAML takes time with the square of the depth, so depth is bounded before it sees a text. A program that writes
// one list twice makes an alias; hundreds are something else.
const (
	longestYAML = 256 << 10
	deepestYAML = 100
	mostAliases = 100
)

var nestedOnOneLine = regexp.MustCompile(`(?m)^\s*(?:[-?:!&{\[]\S*[ \t]+){50}`)

// tooDeep tells whether more brackets are open than any record nests.
func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '[', '{':
			if depth++; depth > deepestYAML {
				return true
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return nestedOnOneLine.MatchString(text)
}

// readYAML reads a document of names and values. Aliases inside aliases, by which a small text becomes a huge one, are
// refused.
func readYAML(place, text string, values *map[string]any) (problem *Problem) {
	broken := func(why string) *Problem { return &Problem{Place: place, Why: "not YAML: " + why} }
	defer func() { // a text that the reader of YAML cannot stand is a broken one
		if recovered := recover(); recovered != nil {
			problem = broken("it cannot be read")
		}
	}()
	if len(text) > longestYAML || tooDeep(text) {
		return broken("it is too large or too deep")
	}
	parsed, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return broken(yamlPlace(err))
	}
	if len(parsed.Docs) != 1 {
		return broken(fmt.Sprintf("it holds %d documents, not one", len(parsed.Docs)))
	}
	if parsed.Docs[0].Body == nil {
		return nil
	}
	var a aliases
	if ast.Walk(&a, parsed.Docs[0].Body); a.count > mostAliases || a.nested {
		return broken("too many aliases")
	}
	if err := yaml.NodeToValue(parsed.Docs[0].Body, values); err != nil {
		return broken(yamlPlace(err))
	}
	return nil
}

type aliases struct {
	count  int
	nested bool
}

// Visit counts aliases, and notices those that stand in what has an anchor.
func (a *aliases) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.AliasNode:
		a.count++
	case *ast.AnchorNode:
		var inside aliases
		ast.Walk(&inside, n.Value)
		a.nested = a.nested || inside.count > 0
	}
	return a
}

var yamlAt = regexp.MustCompile(`\[(\d+):(\d+)\]`)

// yamlPlace says where it is wrong without showing what stands there.
func yamlPlace(err error) string {
	if at := yamlAt.FindStringSubmatch(err.Error()); at != nil {
		return "line " + at[1] + ", column " + at[2]
	}
	return "it is no mapping of names to values"
}
