package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// optionalMark is the suffix of an optional input in a declaration.
const optionalMark = "?"

const maxInputs = 64 << 10 // bytes of inputs as JSON

// Declared returns the names of the table's inputs, and the required ones among them. Tables written by others may
// declare none, or in an unknown form: their inputs are then not checked.
func (t Table) Declared() (names, required []string) {
	list, _ := t.properties["inputs"].([]any)
	if text, ok := t.properties["inputs"].(string); ok {
		_ = json.Unmarshal([]byte(text), &list) // stays empty for other forms
	}
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, nil
		}
		name, optional := strings.CutSuffix(text, optionalMark)
		names = append(names, name)
		if !optional {
			required = append(required, name)
		}
	}
	return names, required
}

// checkInputs compares the inputs with the declared ones.
func (t Table) checkInputs(inputs graph.Parameters) error {
	size, err := json.Marshal(inputs)
	if err != nil || len(size) > maxInputs {
		return apperr.Newf(apperr.Validation, "inputs must be a JSON object of at most %d bytes", maxInputs).
			WithHint("Pass the facts that the rows read, not whole documents").Because(err)
	}
	names, required := t.Declared()
	if len(names) == 0 {
		return nil
	}
	takes := fmt.Sprintf("'%s' takes %s", t.ID, strings.Join(names, ", "))
	missing := lists.Filter(required, func(name string) bool { _, ok := inputs[name]; return !ok })
	if len(missing) > 0 {
		return apperr.Newf(apperr.Validation, "Missing inputs: %s", strings.Join(missing, ", ")).WithHint("%s", takes).
			With("missing", missing)
	}
	unknown := lists.Filter(slices.Sorted(maps.Keys(inputs)),
		func(name string) bool { return !slices.Contains(names, name) })
	if len(unknown) == 0 {
		return nil
	}
	described := make([]string, len(unknown))
	for i, name := range unknown {
		described[i] = name
		if near := apperr.Nearest(name, names); len(near) > 0 {
			described[i] += fmt.Sprintf(" (did you mean %s?)", near[0])
		}
	}
	return apperr.Newf(apperr.Validation, "Unknown inputs: %s", strings.Join(described, ", ")).WithHint("%s", takes).
		With("unknown", unknown)
}
