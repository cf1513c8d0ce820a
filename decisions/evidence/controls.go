package evidence

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"sync"

	"nomograph/internal/document"
)

//go:embed controls/*.yaml
var files embed.FS

// control is a rule that maps evidence to a control of a framework, or detects a gap.
type control struct {
	Control
	Class, Event, Missing string
	// Where has conditions: by field of the payload, the value of an operator.
	Where map[string]map[string]any
}

// controls are the controls in the embedded files, in order.
var controls = sync.OnceValue(func() []control {
	var all []control
	library := document.Embedded(files, "controls", "set of controls", "file")
	for _, name := range library.Names() {
		text, err := library.Text(name)
		if err != nil { // it was just listed
			panic(err)
		}
		var file struct {
			Framework, Class string
			Controls         []control
		}
		document.Shipped(text, &file)
		for _, c := range file.Controls {
			c.Framework, c.Class = file.Framework, file.Class
			all = append(all, c)
		}
	}
	return all
})

// appliesTo reports whether an event is evidence for the control; its class must match.
func (c control) appliesTo(e event) bool {
	for field, tests := range c.Where {
		for operator, wanted := range tests {
			if !holds(operator, wanted, e.Payload[field]) {
				return false
			}
		}
	}
	return c.Class == e.Class && c.Event == e.EventType
}

// holds evaluates a condition. An absent value satisfies only a condition that requires its absence.
func holds(operator string, wanted, value any) bool {
	switch operator {
	case "is":
		return value != nil && fmt.Sprint(value) == fmt.Sprint(wanted)
	case "above":
		return known(value) && number(value) > number(wanted)
	case "among":
		list, _ := wanted.([]any)
		return value != nil && slices.ContainsFunc(list,
			func(one any) bool { return fmt.Sprint(one) == fmt.Sprint(value) })
	case "true":
		is, _ := value.(bool)
		return is == (wanted == true)
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
	case float64:
		return n
	}
	return math.NaN()
}
