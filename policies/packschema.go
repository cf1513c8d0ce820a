package policies

import (
	"fmt"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"nomograph/fault"
	"nomograph/schema"
)

var packSchema = sync.OnceValue(func() schema.Schema { return schema.MustCompile([]byte(PackSchema)) })

// validatePack reports every place where the document is not a pack, each with its line and column.
func validatePack(file string, body ast.Node, tree any) error {
	found := packSchema().Check(tree)
	if len(found) == 0 {
		return nil
	}
	lines := make([]string, len(found))
	problems := make([]map[string]any, len(found))
	for i, p := range found {
		at := positionOf(body, p.Path)
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", file, at.Line, at.Column, p.Message)
		problems[i] = map[string]any{"file": file, "line": at.Line, "column": at.Column, "message": p.Message}
	}
	return fault.New(fault.Validation, strings.Join(lines, "\n")).
		WithHint("Mend the pack; nothing was applied. `nomograph policy schema` prints its JSON Schema").With("problems", problems)
}
