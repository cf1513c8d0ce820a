package evidence

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"nomograph/internal/document"
)

//go:embed controls/*.yaml
var files embed.FS

// control is a rule that maps evidence to a control of a framework, or detects a gap.
type control struct {
	framework, class, id, stage, function, name, description, event, missing string
	conditions                                                               []condition
}

type condition struct {
	field, operator string
	value           any
}

// controls are the controls in the embedded files, in order. A file that cannot be read fails every test.
var controls = sync.OnceValue(func() []control {
	var all []control
	library := document.Embedded(files, "controls", "set of controls", "file")
	for _, name := range library.Names() {
		text, err := library.Text(name)
		if err != nil {
			panic(err)
		}
		root, err := document.YAML(context.Background(), text, document.DefaultLimits())
		if err != nil {
			panic(fmt.Sprint(name, ": ", err))
		}
		whole, _ := root.Value().(map[string]any)
		list, _ := whole["controls"].([]any)
		for _, one := range list {
			all = append(all, controlOf(whole, one.(map[string]any)))
		}
	}
	return all
})

func controlOf(file, rule map[string]any) control {
	text := func(of map[string]any, name string) string { value, _ := of[name].(string); return value }
	c := control{framework: text(file, "framework"), class: text(file, "class"), id: text(rule, "id"),
		stage: text(rule, "stage"), function: text(rule, "function"), name: text(rule, "name"),
		description: text(rule, "description"), event: text(rule, "event"), missing: text(rule, "missing")}
	where, _ := rule["where"].(map[string]any)
	for _, field := range slices.Sorted(maps.Keys(where)) {
		test, _ := where[field].(map[string]any)
		for operator, value := range test {
			c.conditions = append(c.conditions, condition{field, operator, value})
		}
	}
	return c
}

// appliesTo reports whether an event is evidence for the control; its class must match.
func (c control) appliesTo(e Event) bool {
	return c.class == e.Class && c.event == e.EventType &&
		!slices.ContainsFunc(c.conditions, func(test condition) bool { return !test.holds(e.Payload[test.field]) })
}

// holds evaluates a condition. An absent value satisfies only a condition that requires its absence.
func (c condition) holds(value any) bool {
	switch c.operator {
	case "is":
		return value != nil && fmt.Sprint(value) == fmt.Sprint(c.value)
	case "above":
		return known(value) && number(value) > number(c.value)
	case "among":
		list, _ := c.value.([]any)
		return value != nil && slices.ContainsFunc(list,
			func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(value) })
	case "true":
		is, _ := value.(bool)
		return is == (c.value == true)
	case "none":
		return !known(value) || number(value) == 0
	}
	return false
}

func known(value any) bool { return !math.IsNaN(number(value)) }

func number(value any) float64 {
	switch n := value.(type) {
	case int64:
		return float64(n)
	case int:
		return float64(n)
	case uint64:
		return float64(n)
	case float64:
		return n
	}
	return math.NaN()
}
