package records

import (
	"context"
	"errors"

	"nomograph/internal/document"
)

// readYAML parses a document of names and values. Its errors do not quote the content.
func readYAML(place, text string) (map[string]any, *Problem) {
	root, err := document.YAML(context.Background(), text,
		document.DefaultLimits()) // no cancellation within a document: callers check between documents
	var refused *document.Error
	switch {
	case errors.As(err, &refused):
		return nil, &Problem{Place: place, Why: "not YAML: " + refused.Problems[0].String() + ": " +
			refused.Problems[0].Message}
	case err != nil:
		return nil, &Problem{Place: place, Why: "not YAML: unreadable"}
	case root != nil && !root.IsMap():
		return nil, &Problem{Place: place, Why: "not YAML: not a mapping of names to values"}
	}
	values, _ := root.Value().(map[string]any)
	return values, nil
}
